/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { INode, INodeExecutionData, ITaskData } from 'n8n-workflow';
import { ExampleRun } from '../../../lab/demo/exampleRun';
import type { Rest, SavedWorkflow } from '../../../lab/n8n/rest';

const nodeOf = (name: string, operation: string) =>
	({ name, type: 'n8n-nodes-mediagen.mediaGen', parameters: { operation } }) as unknown as INode;

const runOf = (startTime: number, executionTime: number, ...items: INodeExecutionData[]) =>
	({ startTime, executionTime, data: { main: [items] } }) as unknown as ITaskData;

const picture = (id: string): INodeExecutionData => ({
	json: { id },
	binary: { data: { data: 'AAAA', mimeType: 'image/png', fileExtension: 'png' } },
});

const workflowData = { nodes: [nodeOf('Create', 'generateImage')] };

let folder: string;
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'mediagen-run-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('rows of two executions go to files of their own, and each job is paid for once', async () => {
	const lines: string[] = [];
	const execution = {
		status: 'success',
		waitTill: null,
		workflowData,
		data: {
			resultData: {
				lastNodeExecuted: 'Summary',
				runData: {
					Create: [runOf(0, 2_000, picture('gen_1'), picture('gen_1'), picture('gen_2'))],
					Summary: [runOf(0, 0, { json: { made: 3 } })],
				},
			},
		},
	};
	const rest = {
		executions: { get: async () => execution },
		download: async () => Buffer.from('png'),
	} as unknown as Rest;
	const run = new ExampleRun(
		rest,
		{ id: 'w', ...workflowData } as unknown as SavedWorkflow,
		async () => (job) => `paid ${String(job)}`,
		(line) => void lines.push(line),
		folder,
	);
	await run.follow('1');
	await run.follow('2');
	run.conclude();
	const rows = lines.filter((line) => line.startsWith('Create'));
	const files = [2, 3, 4, 5, 6].map((number) => `create-${number}.png`);
	expect(readdirSync(folder).sort()).toEqual([...files, 'create.png']);
	expect(rows.map((row) => /paid gen_\d/.exec(row)?.[0])).toEqual([
		...['paid gen_1', undefined, 'paid gen_2'],
		...['paid gen_1', undefined, 'paid gen_2'],
	]);
	expect(lines.slice(-3)).toEqual(['Summary:', '  made: 3', '']);
});
