import { credentialData, credentialType, type Access } from '../n8n/credential';
import type { WorkflowData } from '../n8n/rest';
import { LabError } from '../process/failure';
import { withCredential } from './examples';
import { linkLines } from './lock';
import type { OwnN8n } from './options';
import { startService } from './service';
import type { StartContext } from './start';

const CREDENTIAL = 'MediaGen account';

const install = 'In your n8n: Settings > Community nodes > Install, and enter n8n-nodes-mediagen';

/** What somebody does by hand who gave no key of the n8n. */
function steps({ baseUrl, apiKey }: Access, example: string): string[] {
	return [
		`1. ${install}.`,
		'2. Add a credential of the type MediaGen API:',
		`     Base URL  ${baseUrl}`,
		`     API Key   ${apiKey}`,
		`3. In a new workflow: ... > Import from file, with "${example}" from the folder examples/.`,
		'   Choose the credential in its nodes, and execute it.',
		'',
		'With a key of your n8n (Settings > n8n API) in N8N_API_KEY, steps 2 and 3 are done for you.',
	];
}

/**
 * Calls n8n's public API.
 *
 * @throws LabError when it cannot be reached or refuses
 */
async function call(
	{ url, apiKey = '' }: OwnN8n,
	resource: string,
	body: object,
): Promise<{ id: string }> {
	const headers = { 'X-N8N-API-KEY': apiKey, 'content-type': 'application/json' };
	const signal = AbortSignal.timeout(30_000);
	const sent = { method: 'POST', headers, body: JSON.stringify(body), signal };
	const answer = await fetch(`${url}/api/v1/${resource}`, sent).catch(() => undefined);
	if (!answer) throw new LabError(`There is no n8n at ${url}`);
	if (answer.ok) return (await answer.json()) as { id: string };
	if (answer.status === 401)
		throw new LabError(`The n8n at ${url} does not know the key in N8N_API_KEY`);
	const said = (await answer.text()).slice(0, 300);
	const hint = said.includes(credentialType) ? `. ${install}` : '';
	throw new LabError(`The n8n at ${url} answered ${answer.status} to ${resource}: ${said}${hint}`);
}

/**
 * `npm start -- --n8n URL`: the service, for an n8n that runs already. With a key of its API the
 * credential and the wanted example are put into it; without one it says what to do by hand.
 */
export async function useOwnN8n(
	context: StartContext,
	n8n: OwnN8n,
	wanted: WorkflowData,
): Promise<void> {
	const { options, log, held } = context;
	const service = await startService(context);
	const links: Record<string, string> = { Editor: n8n.url };
	const workflows: Record<string, string> = {};
	if (service.page) links.Sandbox = service.page;
	if (n8n.apiKey) {
		const data = credentialData(service.access);
		const credential = { name: CREDENTIAL, type: credentialType, data };
		const saved = await call(n8n, 'credentials', credential);
		const used = { id: saved.id, name: CREDENTIAL, type: credentialType };
		const { name, nodes, connections, settings } = withCredential(wanted, used);
		const workflow = await call(n8n, 'workflows', { name, nodes, connections, settings });
		workflows[name] = workflow.id;
		links.Workflow = `${n8n.url}/workflow/${workflow.id}`;
		log(`"${name}" is in your n8n, with a credential: open it and choose Execute workflow.`);
	} else {
		for (const line of steps(service.access, wanted.name)) log(line);
	}
	log('');
	for (const line of linkLines(links)) log(line);
	held.publish({ links, workflows });
	// The real service is there without us.
	if (options.once || !service.page) return;
	log(
		'Ctrl-C stops the sandbox. It listens on this machine only: for an n8n in Docker or elsewhere see docs/rehearse.md.',
	);
	await new Promise(() => undefined);
}
