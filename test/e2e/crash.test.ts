/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type { INodeParameters } from 'n8n-workflow';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { saveCredential } from '../../lab/n8n/credential';
import { startN8n, temporaryUserFolder, type N8n } from '../../lab/n8n/start';
import { nodeName, triggerName, workflowOf } from '../../lab/n8n/nodeWorkflow';
import { Rest, type SavedCredential } from '../../lab/n8n/rest';
import { demoOwner, startInstance } from '../../lab/n8n/instance';
import { baseUrl, keys, sandbox } from './support/harness';
import { createParameters } from './support/media';

const { workspace, key } = keys.full;

const charges = async () => {
	const { lines } = await sandbox.ledger(workspace);
	return lines.filter(({ movement }) => movement === 'reserve').length;
};

const NODE = 'n8n-nodes-mediagen.mediaGen';

/** A video of the sandbox takes 40 s by its clock: long enough to be killed in. */
const parametersOf = (options: INodeParameters) =>
	createParameters({
		mode: 'video',
		model: 'studio/video-1',
		prompt: `A boat, ${JSON.stringify(options)}`,
		downloadOutputs: false,
		options,
	});

describe('n8n is killed in the middle of a wait', () => {
	const userFolder = temporaryUserFolder();
	let n8n: N8n;
	let rest: Rest;
	let credential: SavedCredential;

	beforeAll(async () => {
		const instance = await startInstance({ userFolder });
		({ n8n, rest } = instance);
		credential = await saveCredential(rest, 'crash', { apiKey: key, baseUrl });
	}, 300_000);

	afterAll(async () => {
		await n8n?.kill();
		rmSync(userFolder, { recursive: true, force: true, maxRetries: 3 });
	});

	/**
	 * Runs a workflow until its job is paid for, kills n8n, starts it again, and runs the workflow
	 * once more to its end.
	 */
	async function killed(options: INodeParameters) {
		await sandbox.reset();
		await sandbox.settings({ clockScale: 1 });
		const { id } = await rest.workflows.create(
			workflowOf({ type: NODE, credential, parameters: parametersOf(options) }),
		);
		await rest.workflows.run(id, triggerName);
		while ((await charges()) === 0) await sleep(100);
		await sleep(1_000);
		await n8n.kill();

		n8n = await startN8n({ userFolder });
		rest = await Rest.signIn(n8n.baseUrl, demoOwner);
		await sandbox.settings({ clockScale: 60 });
		const again = await rest.executions.wait(await rest.workflows.run(id, triggerName), {
			timeoutMs: 240_000,
		});
		const [item] = again.data.resultData.runData[nodeName]?.at(-1)?.data?.main?.[0] ?? [];
		return { status: again.status, job: item?.json, charges: await charges() };
	}

	it.each<[string, INodeParameters, number]>([
		['Content', { idempotency: 'content' }, 1],
		['Custom Key', { idempotency: 'custom', idempotencyKey: 'crash-1' }, 1],
		['Execution Item', {}, 2],
	])(
		'with %s a new execution ends well, and %j has been charged %i time(s)',
		async (_name, options, expected) => {
			const after = await killed(options);
			expect(after).toMatchObject({ status: 'success', job: { status: 'completed' } });
			expect(after.charges).toBe(expected);
		},
		300_000,
	);
});
