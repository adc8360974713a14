import type { IDataObject, IExecutePaginationFunctions } from 'n8n-workflow';
import { ENDPOINTS } from '../../src/api';
import { additionalFields, inBody, type Operation } from '../../src/fields/operation';
import { callOfOne, runnable } from '../../src/n8n/entrance';
import { prepareItem } from '../../src/n8n/check';
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
	const call = callOfOne(context as IExecutePaginationFunctions);
	const [input] = call.inputs;
	return input && prepareItem(call, runnable(operation), input, 'https://api.example/v1');
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
	expect(await prepared({ text: 'a', requestOptions: { timeout: '={{ broken }}' } })).toMatchObject(
		{
			failure: { field: 'Request Options', problem: 'cannot be evaluated: no such node' },
		},
	);
});

const sends = (text: string) => ({ value: { request: { body: { text } } } });

const BY_THE_AI = "={{ $fromAI('text', ``, 'string') }}";

test.each<[string, own: IDataObject, evaluated: string, text: string, expected: object]>([
	['its own arguments', { text: 'mine' }, 'mine', BY_THE_AI, sends('mine')],
	['its own in a query', { query: { text: 'mine' } }, 'mine', BY_THE_AI, sends('mine')],
	[
		'those of another call',
		{ text: 'mine' },
		'another',
		BY_THE_AI,
		{
			failure: {
				field: 'What the AI has filled in',
				problem: /mixed up with another call/,
				hint: /version 3 or later .* or set its batch size to 1/,
			},
		},
	],
	['others that nothing asks for', { text: 'mine' }, 'another', 'fixed', sends('another')],
])('a tool of an agent whose calls run at the same time, with %s', async (...row) => {
	const [, own, text, raw, expected] = row;
	const call = {
		inputData: { ai_tool: [[{ json: own }]] },
		evaluatedArguments: { text },
		rawParameters: { text: raw },
	};
	expect(await prepared({ text }, call)).toMatchObject(expected);
});
