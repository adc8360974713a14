import { until } from '../process/process';

/** How long n8n may take to answer: it never answers a call that comes when the execution has just gone on. */
const PATIENCE_MS = 5_000;

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
	 * Waits for the page with this text, 90 seconds at most.
	 *
	 * @throws Error when the execution fails, or the page does not come
	 */
	async shows(text: string): Promise<void> {
		let now = 'not known';
		const isShown = async () => {
			now = await this.status().catch(() => now);
			if (['error', 'canceled', 'crashed'].includes(now))
				throw new Error(`The execution is ${now}`);
			return now !== 'running' && (await this.page().catch(() => '')).includes(text);
		};
		if (!(await until(isShown, { timeoutMs: 90_000 })))
			throw new Error(`No page of the form says "${text}"; the execution is ${now}`);
	}

	/** The page that is shown, as HTML. */
	async page(): Promise<string> {
		const answer = await fetch(this.waitingUrl, { signal: AbortSignal.timeout(PATIENCE_MS) });
		return await answer.text();
	}

	private async status(): Promise<string> {
		const url = new URL(this.waitingUrl);
		url.pathname += '/n8n-execution-status';
		const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
		return await answer.text();
	}

	/** The last page reports to n8n that it was shown, which ends the execution. */
	async close(): Promise<void> {
		await this.post([]);
	}

	/** Sends the page that is shown. What it leads to is seen by {@link shows}. */
	async next(...values: string[]): Promise<void> {
		const answer = await this.post(values);
		if (answer && answer.status !== 200) throw new Error(`The form answered ${answer.status}`);
	}

	/** @returns undefined where n8n does not answer, which may mean that the execution has just gone on */
	private async post(values: string[]): Promise<Response | undefined> {
		return await send(this.waitingUrl, values, AbortSignal.timeout(3 * PATIENCE_MS)).catch(
			(error: Error) => {
				if (error.name !== 'TimeoutError') throw error;
				return undefined;
			},
		);
	}
}

async function send(url: string, values: string[], signal?: AbortSignal): Promise<Response> {
	const form = new FormData();
	values.forEach((value, index) => form.append(`field-${index}`, value));
	return await fetch(url, { method: 'POST', body: form, signal });
}
