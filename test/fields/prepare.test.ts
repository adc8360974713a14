import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { ENDPOINTS } from '../../src/contract';
import { inBody, type Field, type Operation } from '../../src/fields/operation';
import { preSend } from '../../src/fields/prepare';
import { currentRun } from '../../src/run/nodeInput';
import { nodeContext, nodeRun } from '../support/nodeContext';

const form = (name: string): Field => ({
	displayName: 'Blocks',
	name,
	type: 'fixedCollection',
	default: {},
	mapping: inBody('blocks', (value) => ({ value })),
});

const operation: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create',
	description: 'Create',
	spec: { endpoint: ENDPOINTS.createSpeech, output: 'job' },
	fields: [form('blocks'), form('blocksJson')],
};

/** The body of an item whose node has these parameters, and reads as these values. */
async function bodyOf(parameters: object, values: Record<string, unknown>) {
	const run = nodeRun({ parameters: () => values });
	const context = nodeContext(run) as IExecuteSingleFunctions;
	const getNode = () => ({ ...nodeContext(run).getNode(), parameters });
	const hooked = Object.assign(Object.create(context) as object, { getNode });
	const options = { url: '', body: {}, qs: {}, baseURL: 'https://api.example/v1' };
	await preSend(operation).call(hooked as IExecuteSingleFunctions, options);
	const prepared = currentRun(hooked as IExecuteSingleFunctions)?.beginItem(0);
	return prepared?.ok ? prepared.value.request.body : prepared;
}

test('a form that is sent whole is left out while it is hidden, whatever it still reads as', async () => {
	const both = { blocks: 'of the form', blocksJson: 'of the JSON' };
	expect(await bodyOf({ blocks: 'x' }, both)).toEqual({ blocks: 'of the form' });
	expect(await bodyOf({ blocksJson: 'x' }, both)).toEqual({ blocks: 'of the JSON' });
});

describe('what an item asks for under a key of the user', () => {
	/** The request of an item as text, by which the items of a run are compared. */
	async function ownRequestOf(values: Record<string, unknown>, idempotency = 'custom') {
		const options = { idempotency, idempotencyKey: 'order 7' };
		const parameters = { ...values, options };
		const run = nodeRun({ parameters: () => parameters });
		const context = nodeContext(run) as IExecuteSingleFunctions;
		const request = { url: '', body: {}, qs: {}, baseURL: 'https://api.example/v1' };
		await preSend(named).call(context, request);
		const prepared = currentRun(context)?.beginItem(0);
		return prepared?.ok ? prepared.value.ownRequest : prepared;
	}

	const named: Operation = {
		...operation,
		fields: [
			{
				displayName: 'Name',
				name: 'name',
				type: 'string',
				default: '',
				mapping: inBody('name', (value) => ({ value })),
			},
		],
	};

	test('is the request', async () => {
		const cat = await ownRequestOf({ name: 'cat' });
		expect(typeof cat).toBe('string');
		expect(await ownRequestOf({ name: 'cat' })).toBe(cat);
		expect(await ownRequestOf({ name: 'dog' })).not.toBe(cat);
	});

	test('is nothing in the other modes', async () => {
		for (const mode of ['execution', 'content', 'none'])
			expect(await ownRequestOf({ name: 'cat' }, mode)).toBeUndefined();
	});
});
