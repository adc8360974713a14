/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { parse } from 'flatted';
import type {
	ExecutionStatus,
	IBinaryData,
	IDataObject,
	INodeListSearchResult,
	INodeTypeDescription,
	IRunExecutionData,
	IWorkflowBase,
} from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../process/process';
import { newest } from './release';

/** Who owns the n8n instance. n8n asks for a password of 8 characters with a capital and a digit. */
export type Owner = Record<'email' | 'firstName' | 'lastName' | 'password', string>;

/** A signed-in session that another process may go on with: n8n allows few sign-ins a minute. */
export interface Ticket {
	baseUrl: string;
	/** n8n ties the cookie to it and refuses the one without the other. */
	browserId: string;
	cookie: string;
	/** Of n8n, such as `2.41.1`. */
	version: string;
}

class Session {
	constructor(readonly ticket: Ticket) {}

	async signIn(owner: Owner): Promise<void> {
		const { email, password } = owner;
		const login = { emailOrLdapLoginId: email, password };
		// Refused where there is an owner.
		const made = this.request('POST', '/rest/owner/setup', owner);
		await made.catch(async () => await this.request('POST', '/rest/login', login));
	}

	/** Whether it is with an n8n up to 2.0, where some calls differ. */
	get isOld(): boolean {
		return /^(1|2\.0)\./.test(this.ticket.version);
	}

	/**
	 * One call of the REST interface; gives what n8n wraps in `data`.
	 *
	 * @throws Error for every answer other than 2xx
	 */
	async request<T = unknown>(method: string, path: string, body?: object): Promise<T> {
		const text = (await this.bytes(path, method, body)).toString();
		const parsed = (text ? JSON.parse(text) : {}) as { data?: T };
		return (parsed.data ?? parsed) as T;
	}

	/** The bytes behind a path. @throws Error for every answer other than 2xx */
	async bytes(path: string, method = 'GET', body?: object): Promise<Buffer> {
		for (const deadline = Date.now() + 60_000; ; await sleep(500)) {
			const answer = await this.send(method, path, body);
			const bytes = Buffer.from(await answer.arrayBuffer());
			if (answer.ok) return bytes;
			const text = bytes.toString();
			// On a busy machine n8n refuses calls for a while because its database was slow, and an n8n 1
			// calls itself ready before each of its addresses is there. It has done nothing then.
			const isBusy =
				(answer.status === 503 && text.includes('Database is not ready')) ||
				(answer.status === 404 && text.includes(`Cannot ${method} ${path}`));
			if (!isBusy || Date.now() > deadline)
				throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
		}
	}

	private async send(method: string, path: string, body?: object): Promise<Response> {
		const { baseUrl, browserId, cookie } = this.ticket;
		const headers = {
			'content-type': 'application/json',
			// n8n may close an idle connection just when it is used again.
			connection: 'close',
			'browser-id': browserId,
			// Only a run needs it. With it n8n takes us for a second tab and refuses changes while an
			// editor's lock lasts, 2 minutes.
			...(path.endsWith('/run') && { 'push-ref': browserId }),
			...(cookie && { cookie }),
		};
		// A retry is answered when it has ended: as long as the longest execution of a test may take.
		const signal = AbortSignal.timeout(path.endsWith('/retry') ? 200_000 : 60_000);
		const options = { method, headers, body: body && JSON.stringify(body), signal };
		const answer = await fetch(baseUrl + path, options);
		const given = answer.headers.getSetCookie().find((line) => line.startsWith('n8n-auth='));
		if (given) this.ticket.cookie = given.split(';')[0] ?? '';
		return answer;
	}
}

/** A saved credential, as nodes refer to it. */
export interface SavedCredential {
	id: string;
	name: string;
	type: string;
}

export const credentialOf = ({ id, name, type }: SavedCredential) => ({ [type]: { id, name } });

/** Values of a credential's fields, by internal name. */
export type CredentialData = Record<string, unknown>;

const credentialsIn = (session: Session) => ({
	create: async (type: string, name: string, data: CredentialData) =>
		await session.request<SavedCredential>('POST', '/rest/credentials', { type, name, data }),
	update: async ({ id, ...saved }: SavedCredential, data: CredentialData) =>
		await session.request<SavedCredential>('PATCH', `/rest/credentials/${id}`, { ...saved, data }),
	delete: async (id: string) => await session.request('DELETE', `/rest/credentials/${id}`),
	list: async () => await session.request<SavedCredential[]>('GET', '/rest/credentials'),

	/**
	 * Presses Test on a credential, as saved or with these values instead. The editor always sends
	 * the fields along, secrets blanked out, and n8n puts the saved secrets back in.
	 */
	async test({ id, name, type }: SavedCredential, values?: CredentialData) {
		type Saved = { data: CredentialData };
		const path = `/rest/credentials/${id}?includeData=true`;
		const data = values ?? (await session.request<Saved>('GET', path)).data;
		const credentials = { id, name, type, data };
		type Said = { status: 'OK' | 'Error'; message: string };
		return await session.request<Said>('POST', '/rest/credentials/test', { credentials });
	},
});

/** The statuses that an execution does not leave again. */
export const finalStatuses: ExecutionStatus[] = ['success', 'error', 'canceled', 'crashed'];

/** An execution as lists have it. */
export interface ListedExecution {
	id: string;
	status: ExecutionStatus;
	/** `manual`, `retry`, `webhook`, `trigger` … */
	mode: string;
	workflowId: string;
	/** When a parked execution goes on by itself. */
	waitTill: string | null;
	/** The workflow as it was when it ran. */
	workflowData: Pick<IWorkflowBase, 'nodes'>;
}

/** An execution with its data. */
export interface Execution extends ListedExecution {
	data: IRunExecutionData;
}

class Executions {
	/** Called with each execution that is read with its data. */
	onRead: (execution: Execution) => void = () => {};

	constructor(private readonly session: Session) {}

	async get(id: string): Promise<Execution> {
		return this.unpacked(await this.read(id));
	}

	/**
	 * Waits for an execution.
	 *
	 * @param options.until statuses to wait for; default: all final ones
	 * @throws Error after `timeoutMs` (default 120 s); the execution goes on
	 */
	async wait(
		id: string,
		options: { until?: readonly ExecutionStatus[]; timeoutMs?: number } = {},
	): Promise<Execution> {
		const { until: wanted = finalStatuses, timeoutMs = 120_000 } = options;
		const begun = Date.now();
		for (;;) {
			const stored = await this.read(id);
			const { status } = stored;
			// An n8n 1 stores the status a moment before the data.
			const isStored = status !== 'success' || parse(stored.data) !== undefined;
			if (wanted.includes(status) && isStored) return this.unpacked(stored);
			const waited = Date.now() - begun;
			if ((finalStatuses.includes(status) && isStored) || waited > timeoutMs)
				throw new Error(`Execution ${id} is ${status}, not ${wanted.join(' or ')}`);
			// Each question costs n8n 20 ms of computing: those of a long wait come seldom.
			await sleep(Math.min(Math.max(200, waited / 2), 1_000));
		}
	}

	/** The newest 100 executions of a workflow or of all, of these statuses if given. */
	async list(workflowId?: string, status?: readonly ExecutionStatus[]): Promise<ListedExecution[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId, status }));
		const path = `/rest/executions?limit=100&filter=${filter}`;
		return (await this.session.request<{ results: ListedExecution[] }>('GET', path)).results;
	}

	async stop(id: string): Promise<void> {
		await this.session.request('POST', `/rest/executions/${id}/stop`);
	}

	/** Stops the executions that have not ended, of all workflows. */
	async stopAll(): Promise<void> {
		const going = await this.list(undefined, ['new', 'running', 'waiting']);
		// One that ends meanwhile cannot be stopped any more.
		await Promise.all(going.map(async ({ id }) => await this.stop(id).catch(() => {})));
	}

	/**
	 * Retries a failed execution from the node that failed.
	 *
	 * @param loadWorkflow true takes the workflow as saved now, false as it was then
	 * @returns id of the new execution, which has already ended
	 */
	async retry(id: string, loadWorkflow = false): Promise<string> {
		const path = `/rest/executions/${id}/retry`;
		return (await this.session.request<{ id: string }>('POST', path, { loadWorkflow })).id;
	}

	private async read(id: string): Promise<ListedExecution & { data: string }> {
		return await this.session.request('GET', `/rest/executions/${id}`);
	}

	private unpacked(stored: ListedExecution & { data: string }): Execution {
		const execution = { ...stored, data: parse(stored.data) as IRunExecutionData };
		this.onRead(execution);
		return execution;
	}
}

/**
 * A workflow as in an export file; `pinData` are outputs that a manual run takes instead of running the node.
 */
export type WorkflowData = Pick<
	IWorkflowBase,
	'name' | 'nodes' | 'connections' | 'settings' | 'pinData'
> & { description?: string };

export interface SavedWorkflow extends WorkflowData {
	id: string;
	versionId: string;
	active: boolean;
	/** Whether it is in the bin: archived in the editor, but not deleted. */
	isArchived?: boolean;
}

interface Publication {
	status: string;
	triggers: Array<{ errorMessage: string | null }>;
}

const pathOf = (id: string, action: string) => `/rest/workflows/${id}/${action}`;

const workflowsIn = (session: Session) => {
	const get = async (id: string) =>
		await session.request<SavedWorkflow>('GET', `/rest/workflows/${id}`);

	const runFrom = async (id: string, trigger: string, more: object = {}) =>
		await session.request<{ executionId?: string }>('POST', pathOf(id, 'run'), {
			triggerToStartFrom: { name: trigger },
			// Up to 2.0 n8n runs what is sent along, later what is saved.
			...(session.isOld && { workflowData: await get(id) }),
			...more,
		});

	/** Later n8n than 2.0 answers before anything has happened; only its status says so. */
	const settled = async (id: string, wanted: string): Promise<Publication> => {
		if (session.isOld) return { status: wanted, triggers: [] };
		const path = pathOf(id, 'publication-status');
		const isSettled = async () => {
			const now = await session.request<Publication>('GET', path);
			return [wanted, 'partial', 'failed'].includes(now.status) && now;
		};
		return (await until(isSettled, { everyMs: 200 })) ?? { status: 'going on', triggers: [] };
	};

	return {
		get,
		list: async () =>
			await session.request<Array<{ id: string; name: string }>>('GET', '/rest/workflows'),
		create: async (workflow: WorkflowData) =>
			await session.request<SavedWorkflow>('POST', '/rest/workflows', {
				settings: {},
				// An n8n 1 stores what it is sent and nothing else.
				...(session.isOld && { active: false }),
				...workflow,
			}),

		update: async (id: string, workflow: WorkflowData) =>
			await session.request('PATCH', `/rest/workflows/${id}?forceSave=true`, workflow),

		/** n8n deletes only what was archived before. */
		async delete(id: string): Promise<void> {
			await session.request('POST', pathOf(id, 'archive'), {});
			await session.request('DELETE', `/rest/workflows/${id}`);
		},

		/** Starts a manual run from a trigger, as the Execute button does; gives the id of what has begun. */
		async run(id: string, trigger: string): Promise<string> {
			const { executionId } = await runFrom(id, trigger);
			if (executionId) return executionId;
			throw new Error(`Workflow ${id} waits for a test event instead of running`);
		},

		/**
		 * Has the trigger listen for one test event, as the editor's Listen button does.
		 * The event then goes to `/webhook-test/<webhookId>/webhook`, or for a chat to
		 * `/webhook-test/<id>/<session>`.
		 */
		async listen(id: string, trigger: string, chatSessionId?: string): Promise<void> {
			const { executionId } = await runFrom(id, trigger, { chatSessionId });
			if (executionId) throw new Error(`Workflow ${id} ran instead of listening`);
		},

		/**
		 * Publishes a workflow and waits until its triggers stand.
		 *
		 * @throws Error with n8n's reason when a trigger cannot be activated (n8n tries for 15 s)
		 */
		async publish({ id, versionId }: SavedWorkflow): Promise<void> {
			await session.request('POST', pathOf(id, 'activate'), { versionId });
			const { status, triggers } = await settled(id, 'published');
			if (status === 'published') return;
			const reasons = triggers.map(({ errorMessage }) => errorMessage).filter(Boolean);
			throw new Error(`Publishing is ${status}: ${reasons.join('; ') || 'no reason given'}`);
		},

		/** Takes a workflow's triggers down and waits until they are gone. */
		async unpublish(id: string): Promise<void> {
			await session.request('POST', pathOf(id, 'deactivate'));
			await settled(id, 'not_published');
		},
	};
};

/** Whose list is searched: a resource locator's, of a node as it is filled in now. */
interface ListSearch {
	/** Such as `n8n-nodes-mediagen.mediaGenSpeech`. */
	type: string;
	/**
	 * Name of the method under `methods.listSearch`; the parameter is called the same unless `path` names it.
	 */
	methodName: string;
	path?: string;
	parameters?: Record<string, unknown>;
	credential?: SavedCredential;
	/** What the user typed into the search box. */
	filter?: string;
	paginationToken?: string;
}

const nodesIn = (session: Session) => ({
	/** All node types that n8n has loaded, including ours. */
	types: async () =>
		JSON.parse(String(await session.bytes('/types/nodes.json'))) as INodeTypeDescription[],

	/** Opens the list of a resource locator. */
	async search({ type, parameters = {}, credential, ...search }: ListSearch) {
		const path = '/rest/dynamic-node-parameters/resource-locator-results';
		return await session.request<INodeListSearchResult>('POST', path, {
			path: `parameters.${search.methodName}`,
			nodeTypeAndVersion: { name: type, version: 1 },
			currentNodeParameters: parameters,
			...(credential && { credentials: credentialOf(credential) }),
			...search,
		});
	},
});

/** The data tables of the owner, by name. */
const tablesIn = (session: Session) => {
	/** Where a table is; nothing where there is none of this name. */
	const addressOf = async (name: string) => {
		const { id } = await session.request<{ id: string }>('GET', '/rest/projects/personal');
		const base = `/rest/projects/${id}/data-tables`;
		const filter = encodeURIComponent(JSON.stringify({ name }));
		type Found = { data: Array<{ id: string; name: string }> };
		const { data } = await session.request<Found>('GET', `${base}?filter=${filter}`);
		// n8n finds every name that contains it.
		const found = data.find((one) => one.name === name);
		return found && `${base}/${found.id}`;
	};
	return {
		/** Whether there is one of this name. */
		has: async (name: string) => (await addressOf(name)) !== undefined,

		/** Adds rows, as somebody does in the editor. */
		insert: async (name: string, data: readonly IDataObject[]) =>
			await session.request('POST', `${await addressOf(name)}/insert`, { data }),

		/** The oldest 250 rows, with `id` and dates of n8n's. */
		async rows(name: string): Promise<IDataObject[]> {
			const path = `${await addressOf(name)}/rows?take=250&sortBy=id:asc`;
			return (await session.request<{ data: IDataObject[] }>('GET', path)).data;
		},
	};
};

/** n8n as its editor sees it: its internal REST interface, signed in as the owner. */
export class Rest {
	readonly credentials;
	readonly workflows;
	readonly executions;
	readonly nodes;
	readonly tables;

	private constructor(readonly session: Session) {
		this.credentials = credentialsIn(session);
		this.workflows = workflowsIn(session);
		this.executions = new Executions(session);
		this.nodes = nodesIn(session);
		this.tables = tablesIn(session);
	}

	/** Signs in; on a fresh instance the owner is made. */
	static async signIn(baseUrl: string, owner: Owner, { version } = newest): Promise<Rest> {
		const session = new Session({ baseUrl, browserId: randomUUID(), cookie: '', version });
		await session.signIn(owner);
		return new Rest(session);
	}

	/** Goes on with the session that another process signed in (`rest.session.ticket`). */
	static resume(ticket: Ticket): Rest {
		return new Rest(new Session({ ...ticket }));
	}

	/** The bytes of a binary field, wherever n8n keeps them. */
	async download(binary: IBinaryData): Promise<Buffer> {
		if (!binary.id) return Buffer.from(binary.data, 'base64');
		const id = encodeURIComponent(binary.id);
		return await this.session.bytes(`/rest/binary-data?id=${id}&action=download`);
	}
}
