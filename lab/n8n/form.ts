import { until } from '../process/process';

/**
 * How long n8n may take to show a page: where the execution has just gone on it never does, and is asked
 * again.
 */
const SHOW_MS = 5_000;

/** How long n8n may take to receive a page. */
const SEND_MS = 15_000;

/** If n8n still waits for a page so long after it was sent, it has lost it: a person presses Submit again. */
const LOST_AFTER_MS = 10_000;

/** How long a page may take to come: less than a test may, so that a test says which page has not come. */
const COMES_WITHIN_MS = 60_000;

/** What a field holds: a text, a file, or the checkboxes that are ticked. */
type FieldValue = string | string[] | File;

/** A form of n8n, filled in as a browser does it. */
export class FormPages {
	/** The page that was shown last, as HTML. */
	private seen?: string;
	/** What was sent last: on which page, with which values, and when. */
	private sent?: { page?: string; values: FieldValue[]; at: number };

	private constructor(private readonly waitingUrl: string) {}

	/**
	 * Sends the first page of a published workflow, with what each field holds.
	 *
	 * @throws Error when n8n refuses it or does not answer
	 */
	static async submit(url: string, ...values: FieldValue[]): Promise<FormPages> {
		const answer = await send(url, values);
		if (!answer.ok) throw new Error(`The form answered ${answer.status}`);
		const { formWaitingUrl } = (await answer.json()) as { formWaitingUrl: string };
		return new FormPages(formWaitingUrl.replace('//localhost:', '//127.0.0.1:'));
	}

	/**
	 * Waits for the page with this text, for a minute.
	 *
	 * @throws Error when n8n cannot be reached, the execution fails, or the page does not come
	 */
	async shows(text: string): Promise<void> {
		let now = 'not known';
		const isShown = async () => {
			now = (await unlessSlow(this.status())) ?? now;
			if (['error', 'canceled', 'crashed'].includes(now))
				throw new Error(`The execution is ${now}`);
			if (now === 'running') return false;
			this.seen = (await unlessSlow(this.page())) ?? this.seen;
			if (this.seen?.includes(text)) return true;
			await this.sendAgainIfLost();
			return false;
		};
		if (!(await until(isShown, { timeoutMs: COMES_WITHIN_MS })))
			throw new Error(`No page of the form says "${text}"; the execution is ${now}`);
	}

	/** n8n sometimes answers nothing to a page, and goes on to show it. */
	private async sendAgainIfLost(): Promise<void> {
		const { seen, sent } = this;
		if (!sent || seen !== sent.page || Date.now() - sent.at < LOST_AFTER_MS) return;
		await this.next(...sent.values);
	}

	/** The page that is shown, as HTML. */
	async page(): Promise<string> {
		return await textOf(this.waitingUrl);
	}

	private async status(): Promise<string> {
		const url = new URL(this.waitingUrl);
		url.pathname += '/n8n-execution-status';
		return await textOf(url);
	}

	/**
	 * The last page reports to n8n that it was shown, until the execution no longer waits for that.
	 *
	 * @throws Error when it waits after a minute
	 */
	async close(): Promise<void> {
		const isClosed = async () => {
			await unlessSlow(send(this.waitingUrl, []));
			const now = await unlessSlow(this.status());
			return now !== undefined && !now.endsWith('waiting');
		};
		if (!(await until(isClosed, { timeoutMs: COMES_WITHIN_MS })))
			throw new Error('The execution still waits for the last page of the form');
	}

	/** Sends the page that is shown. What it leads to is seen by {@link shows}. */
	async next(...values: FieldValue[]): Promise<void> {
		const answer = await unlessSlow(send(this.waitingUrl, values));
		if (answer && answer.status !== 200) throw new Error(`The form answered ${answer.status}`);
		this.sent = { page: this.seen, values, at: Date.now() };
	}
}

/** n8n may close an idle connection just when it is used again. */
const headers = { connection: 'close' };

async function textOf(url: string | URL): Promise<string> {
	const answer = await fetch(url, { headers, signal: AbortSignal.timeout(SHOW_MS) });
	return await answer.text();
}

async function send(url: string, values: FieldValue[]): Promise<Response> {
	const form = new FormData();
	for (const [index, value] of values.entries()) {
		const sent = Array.isArray(value) ? JSON.stringify(value) : value;
		form.append(`field-${index}`, sent);
	}
	const signal = AbortSignal.timeout(SEND_MS);
	return await fetch(url, { method: 'POST', headers, body: form, signal });
}

/** What is asked for; undefined where n8n does not answer in time. */
async function unlessSlow<T>(asked: Promise<T>): Promise<T | undefined> {
	return await asked.catch((error: Error) => {
		if (error.name !== 'TimeoutError') throw error;
		return undefined;
	});
}
