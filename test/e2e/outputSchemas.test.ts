import type { IDataObject } from 'n8n-workflow';
import { nodeAt } from '../../lab/n8n/canvas';
import type { Execution } from '../../lab/n8n/rest';
import { schemaFiles } from '../../scripts/schemas';
import { rest } from './support/harness';
import { holdAgainstSchemas } from './support/outputSchemas';

/** An execution in which one of our nodes has output this. */
const having = (json: IDataObject) =>
	({
		workflowData: {
			nodes: [
				{
					...nodeAt('Get', 0),
					typeVersion: 1,
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
