/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- not published */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** An answer of n8n's REST interface other than 2xx. */
export class RestError extends Error {
	constructor(
		readonly method: string,
		readonly path: string,
		readonly status: number,
		readonly body: string,
	) {
		super(`${method} ${path} answered ${status}: ${body.slice(0, 500)}`);
		this.name = 'RestError';
	}
}

/** Who owns the n8n instance. */
export interface Owner {
	email: string;
	firstName: string;
	lastName: string;
	/** n8n asks for 8 characters with a capital and a digit. */
	password: string;
}

/** A signed-in session that another process may go on with. */
export interface Ticket {
	baseUrl: string;
	browserId: string;
	cookie: string;
	/** Of n8n, such as `2.41.1`; empty until somebody has signed in. */
	version: string;
}

/**
 * A signed-in browser, as far as n8n is concerned: it ties the cookie to the `browser-id` that was
 * sent at login and refuses the one without the other.
 */
export class Session {
	/** Goes on with a session; without cookie it is a browser that has not signed in yet. */
	constructor(private readonly state: Ticket) {}

	/** Makes the owner account of a fresh instance, or signs in where it exists already. */
	static async signIn(baseUrl: string, owner: Owner): Promise<Session> {
		const session = new Session({ baseUrl, browserId: randomUUID(), cookie: '', version: '' });
		const { userManagement } = await session.firstSettings();
		if (userManagement.showSetupOnFirstLoad) {
			await session.request('POST', '/rest/owner/setup', owner);
		} else {
			const { email, password } = owner;
			await session.request('POST', '/rest/login', { emailOrLdapLoginId: email, password });
		}
		// Before the sign-in the settings leave it out.
		const settings = await session.request<{ versionCli: string }>('GET', '/rest/settings');
		session.state.version = settings.versionCli;
		return session;
	}

	/** An n8n 1 calls itself ready a moment before its REST interface is there. */
	private async firstSettings(): Promise<{ userManagement: { showSetupOnFirstLoad: boolean } }> {
		const deadline = Date.now() + 60_000;
		for (;;) {
			try {
				return await this.request('GET', '/rest/settings');
			} catch (error) {
				const isEarly = error instanceof RestError && error.status === 404;
				if (!isEarly || Date.now() > deadline) throw error;
				await sleep(100);
			}
		}
	}

	/** Whether it is with an n8n up to 2.0, where some calls differ. */
	get isOld(): boolean {
		return /^(1|2\.0)\./.test(this.state.version);
	}

	/** n8n allows few sign-ins a minute, so processes that work together share one. */
	get ticket(): Ticket {
		return { ...this.state };
	}

	/**
	 * One call of the REST interface; gives what n8n wraps in `data`.
	 *
	 * @throws RestError for every answer other than 2xx
	 */
	async request<T = unknown>(method: string, path: string, body?: object): Promise<T> {
		const { answer, text } = await this.whenDatabaseIsReady(async () => {
			const answer = await this.send(method, path, body);
			return { answer, text: await answer.text() };
		});
		if (!answer.ok) throw new RestError(method, path, answer.status, text);
		const parsed = (text ? JSON.parse(text) : {}) as { data?: T };
		return (parsed.data ?? parsed) as T;
	}

	/**
	 * On a busy machine n8n refuses calls for a while because its database was slow; it has done
	 * nothing then.
	 */
	private async whenDatabaseIsReady<T extends { answer: Response; text: string }>(
		call: () => Promise<T>,
	): Promise<T> {
		const deadline = Date.now() + 60_000;
		for (;;) {
			const called = await call();
			const isBusy = called.answer.status === 503 && called.text.includes('Database is not ready');
			if (!isBusy || Date.now() > deadline) return called;
			await sleep(500);
		}
	}

	/** The bytes behind a path. @throws RestError for every answer other than 2xx */
	async bytes(path: string): Promise<Buffer> {
		const answer = await this.send('GET', path);
		if (!answer.ok) throw new RestError('GET', path, answer.status, await answer.text());
		return Buffer.from(await answer.arrayBuffer());
	}

	private async send(method: string, path: string, body?: object): Promise<Response> {
		const { baseUrl, browserId, cookie } = this.state;
		const call = async () =>
			await fetch(`${baseUrl}${path}`, {
				method,
				headers: {
					'content-type': 'application/json',
					'browser-id': browserId,
					// Only a run needs it. With it n8n takes us for a second tab and refuses changes while an
					// editor's lock lasts, 2 minutes.
					...(path.endsWith('/run') && { 'push-ref': browserId }),
					...(cookie && { cookie }),
				},
				body: body && JSON.stringify(body),
				signal: AbortSignal.timeout(60_000),
			});
		const answer = await call().catch(async (error: unknown) => {
			// n8n may close an idle connection just when it is used again.
			if (method === 'GET' && isReset(error)) return await call();
			throw error;
		});
		for (const line of answer.headers.getSetCookie()) {
			const [cookie] = line.split(';');
			if (cookie?.startsWith('n8n-auth=')) this.state.cookie = cookie;
		}
		return answer;
	}
}

const RESETS: unknown[] = ['ECONNRESET', 'UND_ERR_SOCKET'];

const isReset = (error: unknown): boolean =>
	RESETS.includes((error as { cause?: { code?: unknown } }).cause?.code);
