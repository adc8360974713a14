import type { IDataObject, INode } from 'n8n-workflow';
import { connectedTo } from '../../lab/n8n/canvas';
import { nodeName, triggerName, workflowOf } from '../../lab/n8n/nodeWorkflow';
import type { SavedCredential } from '../../lab/n8n/rest';
import { resultOf } from '../../lab/n8n/runNode';
import { byId, call } from './support/fixtures';
import { rest, sandbox } from './support/harness';
import { download, sniff } from './support/media';
import { ownSandbox } from './support/ownSandbox';

const OURS = 'n8n-nodes-mediagen.mediaGen';

/**
 * What the credit limit of an execution is worth: held against the ledger of the service, to the
 * credit.
 */
async function startWorld() {
	const own = await ownSandbox({ requestsPerMinute: 100_000 });
	const { sandbox, workspace } = own;
	return {
		...own,
		/** What the workspace has reserved or spent. */
		async charged(): Promise<number> {
			const { balance } = await sandbox.ledger(workspace);
			return balance.reserved + balance.spent;
		},
		reservations: async () => (await own.charged()).length,
		posts: async () =>
			(await sandbox.requests()).filter(
				({ method, path }) => method === 'POST' && path.startsWith('/v1'),
			),
	};
}

const pictures = (count: number) =>
	Array.from({ length: count }, (_, index) => ({ json: { prompt: `Picture ${index}` } }));

const creating = (options: IDataObject, more: IDataObject = {}) => ({
	operation: 'generateImage',
	model: byId('studio/image-1'),
	prompt: '={{ $json.prompt }}',
	waitForCompletion: false,
	options,
	...more,
});

it.concurrent(
	'forty items under a limit: the ledger agrees with the node, to the credit',
	async () => {
		const { run, charged } = await startWorld();
		const first = await run({
			node: 'mediaGen',
			parameters: creating({}) as never,
			items: pictures(1),
		});
		expect(first.error).toBeUndefined();
		const [one] = first.items;
		const price = Number(one?.json.estimated_credits);
		expect(price).toBeGreaterThan(0);
		expect(await charged()).toBe(price);

		const many = await run({
			node: 'mediaGen',
			items: pictures(40),
			parameters: creating({
				maxCredits: 17 * price + price / 2,
				onInsufficientCredits: 'continue',
			}) as never,
		});
		const made = many.items.filter(({ json }) => json.id !== undefined);
		const refused = many.items.filter(({ json }) => json.error !== undefined);
		expect([made.length, refused.length]).toEqual([17, 23]);
		expect(String(refused[0]?.json.error)).toContain('Max Credits per Execution');
		expect(await charged()).toBe(18 * price);
	},
);

it.concurrent(
	'a dry run needs no credential: a picture in the asked shape comes all the same',
	async () => {
		const parameters = creating(
			{ dryRun: true },
			{
				prompt: 'A cat',
				downloadOutputs: true,
				waitForCompletion: true,
				parameters: { aspect_ratio: '16:9' },
			},
		) as never;
		const { id } = await rest.workflows.create(workflowOf({ type: OURS, parameters }));
		const tried = resultOf(await rest.executions.wait(await rest.workflows.run(id, triggerName)));
		expect(tried.status).toBe('success');
		const [item] = tried.items;
		expect(item?.json).toMatchObject({ dryRun: true, status: 'completed' });
		const picture = await download(rest, item?.binary.data);
		expect(sniff(picture)).toBe('image/png');
		expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([480, 270]);
	},
);

it.concurrent(
	'without a credential nothing but a dry run works, and the error says so',
	async () => {
		const parameters = creating({}, { prompt: 'A cat' }) as never;
		const { id } = await rest.workflows.create(workflowOf({ type: OURS, parameters }));
		const tried = resultOf(await rest.executions.wait(await rest.workflows.run(id, triggerName)));
		expect(tried.error?.message).toBe('The credential is not set');
	},
);

/** What the service reserves for one picture. */
let priceOfOne: number;

beforeAll(async () => {
	await sandbox.reset();
	const body = { mode: 'image', model: 'studio/image-1', prompt: 'Picture' };
	priceOfOne = Number((await call('POST', '/generations', body)).estimated_credits);
});

/** Two nodes one after the other, each under the same limit of the execution. */
function twoUnder(maxCredits: number, credential: SavedCredential) {
	const given = {
		type: OURS,
		credential,
		parameters: creating({ maxCredits }) as never,
		items: pictures(2),
	};
	const workflow = workflowOf(given);
	const first = workflow.nodes.at(-1) as INode;
	const prompt = '=Another {{ $itemIndex }}';
	const second: INode = {
		...first,
		id: 'second',
		name: 'Second',
		position: [700, 0],
		parameters: creating({ maxCredits }, { prompt }) as never,
	};
	return {
		...workflow,
		nodes: [...workflow.nodes, second],
		connections: {
			...workflow.connections,
			[nodeName]: connectedTo(second.name),
		},
	};
}

it.concurrent(
	'two nodes share one limit; a retry under a raised one pays for the rest and nothing twice',
	async () => {
		const { credential, charged, posts } = await startWorld();
		const workflow = twoUnder(3 * priceOfOne, credential);
		const { id } = await rest.workflows.create(workflow);
		const stopped = await rest.executions.wait(await rest.workflows.run(id, triggerName));
		const { error, items } = resultOf(stopped);
		expect(error?.message).toContain(
			`Max Credits per Execution (${3 * priceOfOne}) would be exceeded`,
		);
		expect(items).toHaveLength(2);
		expect(error?.description).toContain(`This execution has reserved ${3 * priceOfOne} credits`);
		expect(await charged()).toBe(3 * priceOfOne);

		await rest.workflows.update(id, twoUnder(4 * priceOfOne, credential));
		const retried = await rest.executions.wait(await rest.executions.retry(stopped.id, true));
		expect(retried.status).toBe('success');
		expect(await charged()).toBe(4 * priceOfOne);
		expect((await posts()).filter(({ path }) => path === '/v1/generations')).toHaveLength(4);
	},
);

describe('Execute Step again and again, while designing, pays for', () => {
	it.concurrent.each<[string, number, number, IDataObject]>([
		['five pictures in five steps', 5, 5, {}],
		['one, with Content', 5, 1, { idempotency: 'content' }],
		['none, with Dry Run', 5, 0, { dryRun: true }],
	])('%s', async (_name, steps, pictures, options) => {
		const { run, reservations } = await startWorld();
		const parameters = creating(options, { prompt: 'A boat' }) as never;
		const first = await run({ node: 'mediaGen', parameters });
		const { runData } = first.execution.data.resultData;
		for (let step = 1; step < steps; step += 1) {
			const id = await rest.workflows.runStep(first.workflowId, nodeName, runData);
			expect((await rest.executions.wait(id)).status).toBe('success');
		}
		expect(await reservations()).toBe(pictures);
	});
});
