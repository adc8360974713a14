import type { INode, INodeParameters } from 'n8n-workflow';
import { connectedTo } from '../../lab/n8n/canvas';
import { nodeName, triggerName, workflowOf } from '../../lab/n8n/nodeWorkflow';
import type { SavedCredential, WorkflowData } from '../../lab/n8n/rest';
import { resultOf } from '../../lab/n8n/runNode';
import { rest } from './support/harness';
import { createParameters, download, sniff } from './support/media';
import { ownSandbox } from './support/ownSandbox';

const type = 'n8n-nodes-mediagen.mediaGen';

const withoutCredential = async (parameters: INodeParameters) => {
	const { id } = await rest.workflows.create(workflowOf({ type, parameters }));
	return resultOf(await rest.executions.wait(await rest.workflows.run(id, triggerName)));
};

it.concurrent(
	'a dry run needs no credential: a picture in the asked shape comes all the same',
	async () => {
		const parameters = { aspect_ratio: '16:9' };
		const options = { dryRun: true };
		const tried = await withoutCredential(createParameters({ options, parameters }));
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
		const tried = await withoutCredential(createParameters({}));
		expect(tried.error?.message).toBe('The credential is not set');
	},
);

it.concurrent(
	'a guard that a script has written beside Options: nothing is sent, and the error says where it belongs',
	async () => {
		const { sandbox, workspace, run } = await ownSandbox();
		for (const name of ['dryRun', 'max_credits']) {
			const parameters = { ...createParameters({}), [name]: name === 'dryRun' ? true : 1 };
			const { error } = await run({ node: 'mediaGen', parameters });
			expect(error?.message).toBe(`"${name}" is no field of Generate Image`);
		}
		const { balance } = await sandbox.ledger(workspace);
		expect(balance.reserved + balance.spent).toBe(0);
	},
);

/** Two nodes one after the other, each of which makes two pictures under the limit of the execution. */
function twoUnder(maxCredits: number, credential: SavedCredential): WorkflowData {
	const creating = (prompt: string) =>
		createParameters({ prompt, waitForCompletion: false, options: { maxCredits } });
	const items = [{}, {}];
	const workflow = workflowOf({ type, credential, items, parameters: creating('One') });
	const second: INode = {
		...(workflow.nodes.at(-1) as INode),
		id: 'second',
		name: 'Second',
		position: [700, 0],
		parameters: creating('=Another {{ $itemIndex }}'),
	};
	return {
		...workflow,
		nodes: [...workflow.nodes, second],
		connections: { ...workflow.connections, [nodeName]: connectedTo(second.name) },
	};
}

it.concurrent(
	'two nodes share one limit; a retry under a raised one pays for the rest and nothing twice',
	async () => {
		const { sandbox, workspace, credential, creations, run } = await ownSandbox();
		const { items: priced } = await run({
			node: 'mediaGen',
			parameters: createParameters({ waitForCompletion: false }),
		});
		const price = Number(priced[0]?.json.estimated_credits);
		/** How many pictures the workspace has reserved or spent credits for since. */
		const charged = async () => {
			const { balance } = await sandbox.ledger(workspace);
			return (balance.reserved + balance.spent) / price - 1;
		};

		const { id } = await rest.workflows.create(twoUnder(3 * price, credential));
		const stopped = await rest.executions.wait(await rest.workflows.run(id, triggerName));
		const { error, items } = resultOf(stopped);
		expect(error?.message).toContain(`Max Credits per Execution (${3 * price}) would be exceeded`);
		expect(error?.description).toContain(`This execution has reserved ${3 * price} credits`);
		expect(items).toHaveLength(2);
		expect(await charged()).toBe(3);

		await rest.workflows.update(id, twoUnder(4 * price, credential));
		const retried = await rest.executions.wait(await rest.executions.retry(stopped.id, true));
		expect(retried.status).toBe('success');
		expect(await charged()).toBe(4);
		expect(await creations()).toHaveLength(1 + 4);
	},
);

it.concurrent('executions at the same time share the limit of the day', async () => {
	const { sandbox, workspace, credential, run } = await ownSandbox();
	const { items: priced } = await run({
		node: 'mediaGen',
		parameters: createParameters({ waitForCompletion: false }),
	});
	const price = Number(priced[0]?.json.estimated_credits);
	const maxCreditsPerDay = 6 * price;
	const parameters = createParameters({
		prompt: '=Picture {{ $itemIndex }}',
		waitForCompletion: false,
		options: { maxCreditsPerDay },
	});
	const items = [{}, {}, {}, {}];
	const workflow = workflowOf({ type, credential, items, parameters });
	const ids = await Promise.all(
		[1, 2, 3].map(async () => (await rest.workflows.create(workflow)).id),
	);
	const runs = ids.map(async (id) => {
		const execution = await rest.workflows.run(id, triggerName);
		return resultOf(await rest.executions.wait(execution));
	});
	const errors = (await Promise.all(runs)).map(({ error }) => error?.message);
	const { balance } = await sandbox.ledger(workspace);
	expect(balance.reserved + balance.spent).toBe(maxCreditsPerDay);
	expect(errors.join()).toContain(`Max Credits per Day (${maxCreditsPerDay}) would be exceeded`);
});

it.concurrent(
	'above the output stands what a run has made and for how many credits, and that a dry run has made nothing',
	async () => {
		const { run } = await ownSandbox();
		const receiptWith = async (more: Partial<Parameters<typeof createParameters>[0]>) => {
			const { execution, items } = await run({
				node: 'mediaGen',
				items: [{}, {}],
				parameters: createParameters({ waitForCompletion: false, ...more }),
			});
			const hints = execution.data.resultData.runData[nodeName]?.at(-1)?.hints ?? [];
			return { hints, price: Number(items[0]?.json.estimated_credits) };
		};
		const { hints, price } = await receiptWith({});
		const message = `<b>2 of 2 started, for ${2 * price} credits.</b>`;
		expect(hints).toEqual([{ message, type: 'info', location: 'outputPane' }]);
		const dry = await receiptWith({ options: { dryRun: true } });
		expect(dry.hints).toHaveLength(1);
		expect(dry.hints[0]?.message).toMatch(
			/^<b>Dry run: nothing was sent, nothing was paid\.<\/b> 2 jobs/,
		);
	},
);
