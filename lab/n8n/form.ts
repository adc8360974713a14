/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a page may take that comes after something was made. */
const pageMs = 120_000;

/** A form of n8n, filled in as a browser does it. */
export class FormPages {
	private constructor(private readonly waitingUrl: string) {}

	/** Sends the first page of a published workflow, with what each field holds. */
	static async submit(url: string, ...values: string[]): Promise<FormPages> {
		const answer = await send(url, values);
		const { formWaitingUrl } = (await answer.json()) as { formWaitingUrl: string };
		return new FormPages(formWaitingUrl.replace('//localhost:', '//127.0.0.1:'));
	}

	/**
	 * Waits for the page with this text.
	 *
	 * @throws Error when the execution fails, or the page does not come
	 */
	async shows(text: string): Promise<void> {
		for (const deadline = Date.now() + pageMs; Date.now() < deadline; await sleep(100)) {
			const status = await (await fetch(statusOf(this.waitingUrl))).text();
			if (['error', 'canceled', 'crashed'].includes(status))
				throw new Error(`The execution is ${status}`);
			if (status !== 'running' && (await this.page()).includes(text)) return;
		}
		throw new Error(`No page of the form says "${text}"`);
	}

	/** n8n never answers a call that comes when the execution has just gone on. */
	private async page(): Promise<string> {
		const signal = AbortSignal.timeout(5_000);
		return await fetch(this.waitingUrl, { signal })
			.then(async (answer) => await answer.text())
			.catch(() => '');
	}

	/** The last page reports to n8n that it was shown, which ends the execution. */
	async close(): Promise<void> {
		await fetch(this.waitingUrl, { method: 'POST', body: new FormData() });
	}

	/** Sends the page that is shown. */
	async next(...values: string[]): Promise<void> {
		const { status } = await send(this.waitingUrl, values);
		if (status !== 200) throw new Error(`The form answered ${status}`);
	}
}

function statusOf(waitingUrl: string): URL {
	const url = new URL(waitingUrl);
	url.pathname += '/n8n-execution-status';
	return url;
}

async function send(url: string, values: string[]): Promise<Response> {
	const form = new FormData();
	values.forEach((value, index) => form.append(`field-${index}`, value));
	return await fetch(url, { method: 'POST', body: form });
}
