/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { parse } from 'flatted';
import type {
	IBinaryData,
	IConnections,
	INode,
	INodeExecutionData,
	INodeListSearchResult,
	INodeTypeDescription,
	IRunData,
	IRunExecutionData,
	IWorkflowSettings,
} from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../process/process';

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

/** A signed-in session that another process may go on with: n8n allows few sign-ins a minute. */
export interface Ticket {
	baseUrl: string;
	/** n8n ties the cookie to it and refuses the one without the other. */
	browserId: string;
	cookie: string;
	/** Of n8n, such as `2.41.1`; empty until somebody has signed in. */
	version: string;
}

class Session {
	/** Without cookie it is a browser that has not signed in yet. */
	constructor(private readonly state: Ticket) {}

	static async signIn(baseUrl: string, owner: Owner): Promise<Session> {
		const session = new Session({ baseUrl, browserId: randomUUID(), cookie: '', version: '' });
		type Settings = { userManagement: { showSetupOnFirstLoad: boolean }; versionCli: string };
		const settings = async () => await session.request<Settings>('GET', '/rest/settings');
		// An n8n 1 calls itself ready a moment before its REST interface is there.
		const first = await until(
			async () =>
				await settings().catch((error: unknown) => {
					if (error instanceof RestError && error.status === 404) return undefined;
					throw error;
				}),
		);
		if (first?.userManagement.showSetupOnFirstLoad) {
			await session.request('POST', '/rest/owner/setup', owner);
		} else {
			const { email, password } = owner;
			await session.request('POST', '/rest/login', { emailOrLdapLoginId: email, password });
		}
		// Before the sign-in the settings leave it out.
		session.state.version = (await settings()).versionCli;
		return session;
	}

	/** Whether it is with an n8n up to 2.0, where some calls differ. */
	get isOld(): boolean {
		return /^(1|2\.0)\./.test(this.state.version);
	}

	get ticket(): Ticket {
		return { ...this.state };
	}

	/**
	 * One call of the REST interface; gives what n8n wraps in `data`.
	 *
	 * @throws RestError for every answer other than 2xx
	 */
	async request<T = unknown>(method: string, path: string, body?: object): Promise<T> {
		for (const deadline = Date.now() + 60_000; ; await sleep(500)) {
			const answer = await this.send(method, path, body);
			const text = await answer.text();
			// On a busy machine n8n refuses calls for a while because its database was slow; it has done
			// nothing then.
			const isBusy = answer.status === 503 && text.includes('Database is not ready');
			if (isBusy && Date.now() < deadline) continue;
			if (!answer.ok) throw new RestError(method, path, answer.status, text);
			const parsed = (text ? JSON.parse(text) : {}) as { data?: T };
			return (parsed.data ?? parsed) as T;
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
				// A retry is answered when it has ended.
				signal: AbortSignal.timeout(path.endsWith('/retry') ? 300_000 : 60_000),
			});
		const answer = await call().catch(async (error: Error & { cause?: { code?: string } }) => {
			// n8n may close an idle connection just when it is used again.
			const isReset = ['ECONNRESET', 'UND_ERR_SOCKET'].includes(error.cause?.code ?? '');
			if (method === 'GET' && isReset) return await call();
			throw error;
		});
		const [given] = answer.headers.getSetCookie().filter((line) => line.startsWith('n8n-auth='));
		if (given) this.state.cookie = given.split(';')[0] ?? '';
		return answer;
	}
}

/** A saved credential, as nodes refer to it. */
export interface SavedCredential {
	id: string;
	name: string;
	type: string;
}

/** How a node refers to a credential. */
export const credentialOf = ({ id, name, type }: SavedCredential) => ({ [type]: { id, name } });

/** Values of a credential's fields, by internal name. */
export type CredentialData = Record<string, unknown>;

/** What the credential's Test button says. */
export interface CredentialTest {
	status: 'OK' | 'Error';
	message: string;
}

class Credentials {
	constructor(private readonly session: Session) {}

	async create(type: string, name: string, data: CredentialData): Promise<SavedCredential> {
		return await this.session.request('POST', '/rest/credentials', { type, name, data });
	}

	async update(saved: SavedCredential, data: CredentialData): Promise<SavedCredential> {
		const { id, name, type } = saved;
		return await this.session.request('PATCH', `/rest/credentials/${id}`, { name, type, data });
	}

	async delete(id: string): Promise<void> {
		await this.session.request('DELETE', `/rest/credentials/${id}`);
	}

	async list(): Promise<SavedCredential[]> {
		return await this.session.request('GET', '/rest/credentials');
	}

	/**
	 * Presses Test on a credential, as saved or with these values instead. The editor always sends
	 * the fields along, secrets blanked out, and n8n puts the saved secrets back in.
	 */
	async test(
		{ id, name, type }: SavedCredential,
		values?: CredentialData,
	): Promise<CredentialTest> {
		const saved = async () =>
			await this.session.request<{ data: CredentialData }>(
				'GET',
				`/rest/credentials/${id}?includeData=true`,
			);
		const credentials = { id, name, type, data: values ?? (await saved()).data };
		return await this.session.request('POST', '/rest/credentials/test', { credentials });
	}
}

/** Values of an execution's `status` in n8n 2.41. */
export type ExecutionStatus =
	'new' | 'running' | 'waiting' | 'success' | 'error' | 'canceled' | 'crashed';

/** The statuses that an execution does not leave again. */
export const finalStatuses: readonly ExecutionStatus[] = [
	'success',
	'error',
	'canceled',
	'crashed',
];

/** An execution with its data. */
export interface Execution {
	id: string;
	status: ExecutionStatus;
	/** `manual`, `retry`, `webhook`, `trigger` … */
	mode: string;
	/** Id of the execution that this one retries. */
	retryOf: string | null;
	workflowId: string;
	/** When a parked execution goes on by itself. */
	waitTill: string | null;
	/** The workflow as it was when it ran. */
	workflowData: { nodes: INode[] };
	data: IRunExecutionData;
}

class Executions {
	/** Called with each execution that is read with its data. */
	onRead: (execution: Execution) => void = () => {};

	constructor(private readonly session: Session) {}

	async get(id: string): Promise<Execution> {
		const stored = await this.read(id);
		const execution = { ...stored, data: parse(stored.data) as IRunExecutionData };
		this.onRead(execution);
		return execution;
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
		const settled = async () => {
			const { status } = await this.read(id);
			return (wanted.includes(status) || finalStatuses.includes(status)) && status;
		};
		const status = await until(settled, { timeoutMs });
		if (status && wanted.includes(status)) return await this.get(id);
		throw new Error(`Execution ${id} is ${status ?? 'going on'}, not ${wanted.join(' or ')}`);
	}

	/** The newest 100 executions of a workflow, of these statuses if given, without their data. */
	async list(
		workflowId: string,
		status?: readonly ExecutionStatus[],
	): Promise<Array<Omit<Execution, 'data'>>> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId, ...(status && { status }) }));
		const path = `/rest/executions?limit=100&filter=${filter}`;
		type Page = { results: Array<Omit<Execution, 'data'>> };
		return (await this.session.request<Page>('GET', path)).results;
	}

	/** Cancels a running or waiting execution, as the editor's Stop button does. */
	async stop(id: string): Promise<void> {
		await this.session.request('POST', `/rest/executions/${id}/stop`);
	}

	async delete(ids: readonly string[]): Promise<void> {
		await this.session.request('POST', '/rest/executions/delete', { ids });
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

	private async read(id: string): Promise<Omit<Execution, 'data'> & { data: string }> {
		return await this.session.request('GET', `/rest/executions/${id}`);
	}
}

/** A workflow as in an export file. */
export interface WorkflowData {
	name: string;
	nodes: INode[];
	connections: IConnections;
	settings?: IWorkflowSettings;
	/** Outputs that a manual run takes instead of running the node, by node name. */
	pinData?: Record<string, INodeExecutionData[]>;
}

export interface SavedWorkflow extends WorkflowData {
	id: string;
	versionId: string;
	active: boolean;
	/** Whether it is in the bin: archived in the editor, but not deleted. */
	isArchived?: boolean;
}

interface Publication {
	status: 'in_progress' | 'not_published' | 'published' | 'partial' | 'failed';
	triggers: Array<{ errorMessage: string | null }>;
}

export class Workflows {
	constructor(private readonly session: Session) {}

	async create(workflow: WorkflowData): Promise<SavedWorkflow> {
		return await this.session.request('POST', '/rest/workflows', {
			settings: {},
			// An n8n 1 stores what it is sent and nothing else.
			...(this.session.isOld && { active: false }),
			...workflow,
		});
	}

	async update(id: string, workflow: WorkflowData): Promise<SavedWorkflow> {
		return await this.session.request('PATCH', `/rest/workflows/${id}?forceSave=true`, workflow);
	}

	/** @throws RestError 404 when it was deleted */
	async get(id: string): Promise<SavedWorkflow> {
		return await this.session.request('GET', `/rest/workflows/${id}`);
	}

	async list(): Promise<Array<{ id: string; name: string }>> {
		return await this.session.request('GET', '/rest/workflows');
	}

	/** n8n deletes only what was archived before. */
	async delete(id: string): Promise<void> {
		await this.session.request('POST', `/rest/workflows/${id}/archive`, {});
		await this.session.request('DELETE', `/rest/workflows/${id}`);
	}

	/**
	 * Starts a manual run from a trigger, as the editor's Execute button does.
	 *
	 * @returns id of the execution, which has only begun
	 */
	async run(id: string, trigger: string): Promise<string> {
		const { executionId } = await this.runFrom<{ executionId?: string }>(id, trigger);
		if (executionId) return executionId;
		throw new Error(`Workflow ${id} waits for a test event instead of running`);
	}

	/**
	 * Runs one node by hand, as the editor's *Execute step* does.
	 *
	 * @param runData what the editor shows of the last run: outputs of the nodes before it are taken from there
	 * @returns id of the execution, which has only begun
	 */
	async runStep(id: string, node: string, runData: IRunData): Promise<string> {
		const destinationNode = { nodeName: node, mode: 'inclusive' };
		const body = { runData, destinationNode, dirtyNodeNames: [] };
		const path = `/rest/workflows/${id}/run`;
		return (await this.session.request<{ executionId: string }>('POST', path, body)).executionId;
	}

	/**
	 * Has the trigger listen for one test event, as the editor's Listen button does.
	 * The event then goes to `/webhook-test/<webhookId>/webhook`.
	 */
	async listen(id: string, trigger: string): Promise<void> {
		const answer = await this.runFrom<{ waitingForWebhook?: boolean }>(id, trigger);
		if (!answer.waitingForWebhook) throw new Error(`Workflow ${id} ran instead of listening`);
	}

	/**
	 * Has the chat trigger listen for one message, as the editor's chat does.
	 * The message then goes to `/webhook-test/<id>/<session>`.
	 */
	async openChat(id: string, trigger: string, session: string): Promise<void> {
		await this.runFrom(id, trigger, { chatSessionId: session });
	}

	private async runFrom<T>(id: string, trigger: string, more: object = {}): Promise<T> {
		return await this.session.request<T>('POST', `/rest/workflows/${id}/run`, {
			triggerToStartFrom: { name: trigger },
			// Up to 2.0 n8n runs what is sent along, later what is saved.
			...(this.session.isOld && { workflowData: await this.get(id) }),
			...more,
		});
	}

	/**
	 * Publishes a workflow and waits until its triggers stand.
	 *
	 * @throws Error with n8n's reason when a trigger cannot be activated (n8n tries for 15 s)
	 */
	async publish({ id, versionId }: SavedWorkflow, timeoutMs = 60_000): Promise<void> {
		await this.session.request('POST', `/rest/workflows/${id}/activate`, { versionId });
		const { status, triggers } = await this.settled(id, 'published', timeoutMs);
		if (status === 'published') return;
		const reasons = triggers.map(({ errorMessage }) => errorMessage).filter(Boolean);
		throw new Error(`Publishing is ${status}: ${reasons.join('; ') || 'no reason given'}`);
	}

	/** Takes a workflow's triggers down and waits until they are gone. */
	async unpublish(id: string, timeoutMs = 60_000): Promise<void> {
		await this.session.request('POST', `/rest/workflows/${id}/deactivate`);
		await this.settled(id, 'not_published', timeoutMs);
	}

	/** Later n8n than 2.0 answers before anything has happened; only its status says so. */
	private async settled(
		id: string,
		wanted: Publication['status'],
		timeoutMs: number,
	): Promise<Publication> {
		if (this.session.isOld) return { status: wanted, triggers: [] };
		const path = `/rest/workflows/${id}/publication-status`;
		const now = async () => await this.session.request<Publication>('GET', path);
		const isSettled = ({ status }: Publication) => [wanted, 'partial', 'failed'].includes(status);
		const settled = async () => [await now()].find(isSettled);
		return (await until(settled, { timeoutMs, everyMs: 200 })) ?? (await now());
	}
}

/** Whose list is searched: a resource locator's, of a node as it is filled in now. */
export interface ListSearch {
	/** Such as `n8n-nodes-mediagen.mediaGenSpeech`. */
	type: string;
	typeVersion?: number;
	/** Name of the method under `methods.listSearch`. */
	methodName: string;
	/** Path of the parameter; default `parameters.<methodName>`. */
	path?: string;
	parameters?: Record<string, unknown>;
	credential?: SavedCredential;
	/** What the user typed into the search box. */
	filter?: string;
	paginationToken?: string;
}

class Nodes {
	constructor(private readonly session: Session) {}

	/** All node types that n8n has loaded, including ours. */
	async types(): Promise<INodeTypeDescription[]> {
		const bytes = await this.session.bytes('/types/nodes.json');
		return JSON.parse(bytes.toString()) as INodeTypeDescription[];
	}

	/** Opens the list of a resource locator. */
	async search(search: ListSearch): Promise<INodeListSearchResult> {
		const { type, typeVersion = 1, methodName, parameters = {}, credential } = search;
		const path = '/rest/dynamic-node-parameters/resource-locator-results';
		return await this.session.request('POST', path, {
			path: search.path ?? `parameters.${methodName}`,
			methodName,
			nodeTypeAndVersion: { name: type, version: typeVersion },
			currentNodeParameters: parameters,
			...(credential && { credentials: credentialOf(credential) }),
			filter: search.filter,
			paginationToken: search.paginationToken,
		});
	}
}

/** A row of a data table; n8n adds `id` and dates. */
export type TableRow = Record<string, string | number | boolean | null>;

/** The data tables of the owner, by name. */
class DataTables {
	constructor(private readonly session: Session) {}

	/** Whether there is one of this name. */
	async has(name: string): Promise<boolean> {
		return (await this.find(name)) !== undefined;
	}

	/** @param columns names of columns of text */
	async create(name: string, columns: readonly string[]): Promise<void> {
		await this.session.request('POST', await this.base(), {
			name,
			columns: columns.map((column) => ({ name: column, type: 'string' })),
		});
	}

	/** Adds rows, as somebody does in the editor. */
	async insert(name: string, rows: readonly TableRow[]): Promise<void> {
		await this.session.request('POST', `${await this.pathOf(name)}/insert`, { data: rows });
	}

	/** The oldest 250 rows. */
	async rows(name: string): Promise<TableRow[]> {
		const path = `${await this.pathOf(name)}/rows?take=250&sortBy=id:asc`;
		return (await this.session.request<{ data: TableRow[] }>('GET', path)).data;
	}

	private async base(): Promise<string> {
		const { id } = await this.session.request<{ id: string }>('GET', '/rest/projects/personal');
		return `/rest/projects/${id}/data-tables`;
	}

	private async find(name: string): Promise<string | undefined> {
		const filter = encodeURIComponent(JSON.stringify({ name }));
		const path = `${await this.base()}?filter=${filter}`;
		type Found = { data: Array<{ id: string; name: string }> };
		// n8n finds every name that contains it.
		return (await this.session.request<Found>('GET', path)).data.find((one) => one.name === name)
			?.id;
	}

	private async pathOf(name: string): Promise<string> {
		const id = await this.find(name);
		if (id === undefined) throw new Error(`There is no data table "${name}"`);
		return `${await this.base()}/${id}`;
	}
}

/** n8n as its editor sees it: its internal REST interface, signed in as the owner. */
export class Rest {
	readonly credentials: Credentials;

	readonly workflows: Workflows;

	readonly executions: Executions;

	readonly nodes: Nodes;

	readonly tables: DataTables;

	private constructor(readonly session: Session) {
		this.credentials = new Credentials(session);
		this.workflows = new Workflows(session);
		this.executions = new Executions(session);
		this.nodes = new Nodes(session);
		this.tables = new DataTables(session);
	}

	/** Signs in; on a fresh instance the owner is made first. */
	static async signIn(baseUrl: string, owner: Owner): Promise<Rest> {
		return new Rest(await Session.signIn(baseUrl, owner));
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
