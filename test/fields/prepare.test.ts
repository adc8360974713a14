import type { IDataObject } from 'n8n-workflow';
import { ENDPOINTS } from '../../src/contract';
import { currentRun } from '../../src/run/nodeInput';
import { additionalFields, inBody, type Operation } from '../../src/fields/operation';
import { preSend } from '../../src/fields/prepare';
import { flag, name, prose } from '../../src/fields/rules';
import { nodeContext, nodeRun, type NodeRun } from '../support/nodeContext';

const operation: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create',
	description: 'Create',
	spec: { endpoint: ENDPOINTS.createSpeech, output: 'job' },
	fields: [
		{
			displayName: 'Text',
			name: 'text',
			type: 'string',
			default: '',
			mapping: inBody('text', prose({ required: true })),
		},
		additionalFields([
			{
				displayName: 'Loop',
				name: 'loop',
				type: 'boolean',
				default: true,
				mapping: inBody('loop', flag()),
			},
			{
				displayName: 'Style',
				name: 'style',
				type: 'string',
				default: '',
				mapping: inBody('style', name()),
			},
		]),
	],
};

/** What is prepared of an item whose node has these parameters. */
async function prepared(parameters: object, run: Partial<NodeRun> = {}) {
	const given = nodeRun({ parameters: () => ({ ...parameters }), ...run });
	const context = nodeContext(given);
	const read = context.getNodeParameter.bind(context) as (...given: unknown[]) => unknown;
	const getNodeParameter = (path: string, fallback?: unknown, options?: object) => {
		const value = read(path, fallback, options);
		if (value === '={{ broken }}' && !options) throw new Error('no such node');
		if (typeof value === 'object' && !options && JSON.stringify(value).includes('broken'))
			throw new Error('no such node');
		return value;
	};
	Object.assign(context, { getNodeParameter });
	await preSend(operation).call(context, { url: '', baseURL: 'https://api.example/v1' });
	return currentRun(context)?.beginItem(0);
}

test('a whole collection may come from one expression, and is an object then', async () => {
	const ok = await prepared({ text: 'a', additionalFields: { loop: 'TRUE', style: ' noir ' } });
	expect(ok).toMatchObject({ value: { request: { body: { loop: true, style: 'noir' } } } });
	for (const nothing of [null, 'text'])
		expect(await prepared({ text: 'a', additionalFields: nothing })).toMatchObject({
			failure: { field: 'Additional Fields', problem: /^must be an object with fields, got / },
		});
});

test('an expression that cannot be evaluated is a problem of its field, not an exception', async () => {
	expect(await prepared({ text: '={{ broken }}' })).toMatchObject({
		failure: { kind: 'input', field: 'Text', problem: 'cannot be evaluated: no such node' },
	});
	const additional = { loop: true, style: '={{ broken }}' };
	expect(await prepared({ text: 'a', additionalFields: additional })).toMatchObject({
		failure: { field: 'Style', problem: 'cannot be evaluated: no such node' },
	});
});

describe('a tool of an agent whose calls run at the same time', () => {
	const rawParameters = { text: "={{ $fromAI('text', ``, 'string') }}" };
	const called = async (own: IDataObject, evaluatedArguments: IDataObject, given = rawParameters) =>
		await prepared(
			{ text: evaluatedArguments.text },
			{ inputData: { ai_tool: [[{ json: own }]] }, evaluatedArguments, rawParameters: given },
		);

	test('is prepared with its own arguments', async () => {
		for (const own of [{ text: 'mine' }, { query: { text: 'mine' } }])
			expect(await called(own, { text: 'mine' })).toMatchObject({
				value: { request: { body: { text: 'mine' } } },
			});
	});

	test('is refused with those of another call, before anything is sent', async () => {
		expect(await called({ text: 'mine' }, { text: 'another' })).toMatchObject({
			failure: {
				field: 'What the AI has filled in',
				problem: /mixed up with another call/,
				hint: /version 3 or later .* or set its batch size to 1/,
			},
		});
	});

	test('is prepared where another call differs in what the node does not ask for', async () => {
		const given = { text: 'fixed' };
		const own = { text: 'mine' };
		expect(await called(own, { text: 'another' }, given as typeof rawParameters)).toMatchObject({
			ok: true,
		});
	});
});
