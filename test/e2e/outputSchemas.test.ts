import type { IDataObject } from 'n8n-workflow';
import { connectedTo, nodeAt } from '../../lab/n8n/canvas';
import type { Execution } from '../../lab/n8n/rest';
import { schemaFiles } from '../../scripts/schemas';
import { rest, sandbox } from './support/harness';
import { openEditor } from './support/openEditor';
import { holdAgainstSchemas } from './support/outputSchemas';

const START = 'Start';
const NEXT = 'Next';

const at = (name: string, column: number) => ({ ...nodeAt(name, column), typeVersion: 1 });

/**
 * A workflow that was never run: trigger -> one of our nodes -> a node that could use its fields.
 */
async function designed(node: string, parameters: Record<string, string>): Promise<string> {
	const { id } = await rest.workflows.create({
		name: `Design ${node}`,
		nodes: [
			{ ...at(START, 0), type: 'n8n-nodes-base.manualTrigger', parameters: {} },
			{ ...at(node, 1), type: `n8n-nodes-mediagen.${node}`, parameters },
			{ ...at(NEXT, 2), type: 'n8n-nodes-base.noOp', parameters: {} },
		],
		connections: { [START]: connectedTo(node), [node]: connectedTo(NEXT) },
	});
	return id;
}

/** An execution in which one of our nodes has output this. */
const having = (json: IDataObject) =>
	({
		workflowData: {
			nodes: [
				{
					...at('Get', 0),
					type: 'n8n-nodes-mediagen.mediaGen',
					parameters: { resource: 'generation', operation: 'get' },
				},
			],
		},
		data: { resultData: { runData: { Get: [{ data: { main: [[{ json }]] } }] } } },
	}) as unknown as Execution;

it('every execution that a test reads is checked against the schemas', () => {
	const good = {
		id: 'gen_1',
		object: 'generation',
		status: 'queued',
		mode: 'image',
		model: 'studio/image-1',
	};
	expect(rest.executions.onRead).toBe(holdAgainstSchemas);
	expect(() => holdAgainstSchemas(having(good))).not.toThrow();
	const { model, ...incomplete } = good;
	expect(() => holdAgainstSchemas(having(incomplete))).toThrow("required property 'model'");
	expect(() => holdAgainstSchemas(having({ ...good, model, url: 5 }))).toThrow(
		'url must be string',
	);
});

it('n8n serves the output schema of every operation as it was packed', async () => {
	const files = await schemaFiles();
	expect(files.size).toBeGreaterThan(30);
	for (const [file, text] of files) {
		const [, node, operation] = /^nodes\/(\w+)\/__schema__\/v1\.0\.0\/(.+)\.json$/.exec(file) ?? [];
		const name = node === 'MediaGen' ? 'mediaGen' : `mediaGen${node}`;
		const address = `/schemas/n8n-nodes-mediagen.${name}/1.0.0/${operation}.json`;
		expect([address, String(await rest.session.bytes(address))]).toEqual([address, text]);
	}
});

it('the editor shows the fields before the first run, without a request to the service', async () => {
	await sandbox.reset();
	const { editor, close } = await openEditor();
	try {
		const job = await designed('mediaGen', { operation: 'generateImage' });
		expect(await editor.fieldsBefore(job, NEXT)).toEqual([
			'id',
			'status',
			'url',
			'outputs',
			'outputs[0]',
			'id',
			'url',
			'media_type',
			'expires_at',
			'estimated_credits',
			'object',
			'mode',
			'model',
			'output_ids',
			'output_ids[0]',
			'warning',
		]);
		expect(await sandbox.requests()).toEqual([]);
	} finally {
		await close();
	}
}, 240_000);
