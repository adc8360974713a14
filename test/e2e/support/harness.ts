import type { INodeListSearchItems } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import { saveCredential } from '../../../lab/n8n/credential';
import { Rest, type SavedCredential } from '../../../lab/n8n/rest';
import { runNode, startNode, type NodeRun, type NodeRunResult } from '../../../lab/n8n/runNode';
import { SandboxAdmin, keyRing } from '../../../lab/sandbox/admin';
import { takeOver } from './handover';
import { holdAgainstSchemas } from './outputSchemas';

const handover = takeOver();

/** n8n, signed in as its owner. */
export const rest = Rest.resume(handover.ticket);

// Every execution that an end-to-end test reads is checked against the output schemas.
rest.executions.onRead = holdAgainstSchemas;

// What a file leaves running would go on to send requests in the next one.
afterAll(async () => await rest.executions.stopAll());

/** Where n8n's editor is, without a slash at the end. */
export const n8nUrl = handover.ticket.baseUrl;

/** Controls of the sandbox; `beforeEach(() => sandbox.reset())` gives each test a fresh service. */
export const sandbox = new SandboxAdmin(handover.sandbox.adminUrl);

/** Where the sandbox's API is, ending in `/v1`. */
export const { baseUrl } = handover.sandbox;

/** The sandbox's keys by what they may do. */
export const keys = keyRing(handover.sandbox);

/** Saved credentials: one for each of `keys`, and `wrongKey`. */
export const { credentials, filesFolder, n8nGuard, n8nLog } = handover;

/** A run of one of our nodes, without the prefix of the package. */
export interface OurRun extends Omit<NodeRun, 'type' | 'credential'> {
	/** Such as `mediaGen`. */
	node: string;
	/** Default: the key with all scopes. */
	credential?: SavedCredential;
}

function complete({ node, credential = credentials.full, ...run }: OurRun): NodeRun {
	return { ...run, type: `n8n-nodes-mediagen.${node}`, credential };
}

/** Runs one of our nodes in the real n8n to its end. */
export async function runOurs(run: OurRun): Promise<NodeRunResult> {
	return await runNode(rest, complete(run));
}

/**
 * A credential with a key of its own: a list that our nodes have read with one key is used again for a
 * minute, in all files.
 */
export async function newCredential(): Promise<SavedCredential> {
	const { workspace, scopes } = keys.full;
	const apiKey = await sandbox.addKey(workspace, scopes);
	return await saveCredential(rest, randomUUID(), { apiKey, baseUrl });
}

/** What the editor lists for a text that is typed into a resource locator of one of our nodes. */
export async function listed(
	node: string,
	methodName: string,
	filter: string,
): Promise<INodeListSearchItems[]> {
	const type = `n8n-nodes-mediagen.${node}`;
	const search = { type, methodName, filter, credential: await newCredential() };
	return (await rest.nodes.search(search)).results;
}

/** Starts one of our nodes in the real n8n and gives the ids at once. */
export async function startOurs(run: OurRun): Promise<{ workflowId: string; executionId: string }> {
	return await startNode(rest, complete(run));
}
