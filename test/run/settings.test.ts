import { readSettings } from '../../src/run/settings';
import { BROKEN } from '../support/engine';
import { nodeContext, nodeRun } from '../support/nodeContext';

const settings = (parameters: Record<string, unknown>) =>
	readSettings(nodeContext(nodeRun({ parameters: () => parameters })));

test('what is not set has its default', () => {
	expect(settings({})).toMatchObject({
		ok: true,
		value: {
			waitForCompletion: false,
			downloadOutputs: false,
			waitTimeoutMs: 1_800_000,
			splitOutputs: false,
			outputBinaryField: 'data',
			idempotency: 'execution',
			onInsufficientCredits: 'stop',
			maxCredits: Infinity,
			dryRun: false,
			limit: 50,
		},
	});
});

test('what is set is taken, also as text', () => {
	const options = {
		waitTimeout: '0.5',
		splitOutputs: 'true',
		outputBinaryField: ' file ',
		idempotency: 'content',
	};
	expect(settings({ waitForCompletion: true, returnAll: 'true', options })).toMatchObject({
		value: {
			waitForCompletion: true,
			waitTimeoutMs: 30_000,
			splitOutputs: true,
			outputBinaryField: 'file',
			idempotency: 'content',
			limit: Infinity,
		},
	});
});

test.each<[Record<string, unknown>, string, string]>([
	[{ waitForCompletion: 'yes' }, 'Wait for Completion', 'must be true or false'],
	[{ options: { waitTimeout: 0 } }, 'Wait Timeout', 'must be a number above 0'],
	[{ options: { waitTimeout: 'soon' } }, 'Wait Timeout', 'must be a number above 0'],
	[{ options: { waitTimeout: Infinity } }, 'Wait Timeout', 'must be a number above 0'],
	[{ options: { outputBinaryField: ' ' } }, 'Output Binary Field', 'is empty'],
	[
		{ options: { idempotency: 'sometimes' } },
		'Avoid Paying Twice',
		'must be one of execution, content, custom, none',
	],
	[{ options: { idempotency: 'custom' } }, 'Idempotency Key', 'is empty'],
	[
		{ options: { idempotency: 'custom', idempotencyKey: 'ä' } },
		'Idempotency Key',
		'may only contain printable ASCII characters',
	],
	[
		{ options: { onInsufficientCredits: 'pray' } },
		'When Credits Run Out',
		'must be one of stop, wait, continue',
	],
	...[null, '', -1, true].map((maxCredits): [Record<string, unknown>, string, string] => [
		{ options: { maxCredits } },
		'Max Credits per Execution',
		'must be a number, 0 or more; without the option there is no limit',
	]),
	[{ limit: 0 }, 'Limit', 'must be a number above 0'],
	[{ limit: 1.5 }, 'Limit', 'must be a whole number'],
])('%j: %s %s', (parameters, field, problem) => {
	expect(settings(parameters)).toMatchObject({
		ok: false,
		failure: { kind: 'input', field, problem },
	});
});

test('a custom key has no blanks at its ends: HTTP drops them, so that two keys would be one and a blank one none', () => {
	const custom = (idempotencyKey: string) =>
		settings({ options: { idempotency: 'custom', idempotencyKey } });
	expect(custom(' order 1 \n')).toMatchObject({ value: { idempotencyKey: 'order 1' } });
	expect(custom(' ')).toMatchObject({
		failure: { kind: 'input', field: 'Idempotency Key', problem: 'is empty' },
	});
});

test('a key is validated only where it is used', () => {
	expect(settings({ options: { idempotencyKey: 'ä' } }).ok).toBe(true);
});

test('an expression that cannot be evaluated is a problem, not an exception', () => {
	const context = nodeContext(nodeRun());
	context.getNodeParameter = () => {
		throw new Error(String(BROKEN));
	};
	expect(readSettings(context)).toMatchObject({
		failure: { kind: 'input', problem: 'cannot be evaluated' },
	});
});
