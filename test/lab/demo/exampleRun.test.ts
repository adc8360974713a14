/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { INode, INodeExecutionData, ITaskData } from 'n8n-workflow';
import { ExampleRun, findingsOf, secondsOf, waitOf } from '../../../lab/demo/exampleRun';
import type { Execution, Rest, SavedWorkflow } from '../../../lab/n8n/rest';

/** An execution that ended with these outputs of a node. */
const endedWith = (...main: INodeExecutionData[][]) =>
	({
		data: { resultData: { lastNodeExecuted: 'Report', runData: { Report: [{ data: { main } }] } } },
	}) as unknown as Execution;

describe('what was found', () => {

	test('without a text, each field of a single item in words', () => {
		const json = { made: 2, failed: ['Row 8: refused'], left: [], next_run: 'Makes what is new' };
		expect(findingsOf(endedWith([{ json }]))).toEqual([
			'Report:',
			'  made: 2',
			'  failed:',
			'    Row 8: refused',
			'  left: none',
			'  next run: Makes what is new',
		]);
	});

	test('a node that gave nothing is named', () => {
		expect(findingsOf(endedWith([]))).toEqual(['"Report" found nothing.']);
	});
});

const nodeOf = (name: string, operation?: string, type = 'mediaGen') =>
	({ name, type: `n8n-nodes-mediagen.${type}`, parameters: { operation } }) as unknown as INode;

const runOf = (startTime: number, executionTime: number, ...items: INodeExecutionData[]) =>
	({ startTime, executionTime, data: { main: [items] } }) as unknown as ITaskData;

const picture = (id: string): INodeExecutionData => ({
	json: { id },
	binary: { data: { data: 'AAAA', mimeType: 'image/png', fileExtension: 'png' } },
});

const workflowData = {
	nodes: [
		nodeOf('Create', 'generateImage'),
		nodeOf('Read', 'get', 'mediaGenJob'),
		nodeOf('New', undefined, 'mediaGenPollingTrigger'),
	],
};

describe('the seconds of a job', () => {
	const read = runOf(71_000, 300, picture('gen_1'));
	const runData = { Create: [runOf(1_000, 2_500, picture('gen_1'))], Read: [read] };
	const execution = { data: { resultData: { runData } }, workflowData } as unknown as Execution;

	test('those of the node that makes it', () => {
		expect(secondsOf(execution, 'Create', runData.Create[0]!, 'gen_1')).toBe(2.5);
	});
});

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
	expect(readdirSync(folder).sort()).toEqual([
		'create-2.png',
		'create-3.png',
		'create-4.png',
		'create-5.png',
		'create-6.png',
		'create.png',
	]);
	expect(rows.map((row) => /paid gen_\d/.exec(row)?.[0])).toEqual([
		...['paid gen_1', undefined, 'paid gen_2'],
		...['paid gen_1', undefined, 'paid gen_2'],
	]);
	expect(lines.slice(-3)).toEqual(['Summary:', '  made: 3', '']);
});
