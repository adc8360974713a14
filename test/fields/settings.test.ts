import type { Json } from '../../src/base/types';
import { buildSettings } from '../../src/fields/buildRequest';
import { creationFields, creditOptions } from '../../src/fields/commonFields';
import { listFields } from '../../src/fields/operation';
import { idempotency, statusFields, usualSettings } from '../../src/fields/settings';
import { MediaGenWebhook } from '../../nodes/Webhook/MediaGenWebhook.node';
import { valuesOf } from '../support/rules';

const fields = [
	...creationFields([...creditOptions, ...statusFields({ good: ['done'], bad: ['failed'] })]),
	...listFields,
];

const settings = (parameters: Json) =>
	buildSettings(valuesOf({ fields }, parameters), usualSettings({}, false));

const problemOf = (parameters: Json) => {
	const read = settings(parameters);
	return read.ok ? read.value : read.failure;
};

test('what is not set has its default', () => {
	expect(settings({})).toMatchObject({
		value: {
			waitTimeoutMs: 1_800_000,
			outputBinaryField: 'data',
			idempotency: 'execution',
			onInsufficientCredits: 'stop',
			creditWaitTimeoutMs: 3_600_000,
			maxCredits: Infinity,
			maxCreditsPerDay: Infinity,
			dryRun: false,
			limit: 50,
		},
	});
});

test('what is set is taken, also as text', () => {
	const options = {
		waitTimeout: '0.5',
		splitOutputs: 'TRUE',
		outputBinaryField: ' file ',
		idempotency: 'content',
		maxCredits: '0',
	};
	expect(settings({ waitForCompletion: 1, returnAll: 'true', limit: 7, options })).toMatchObject({
		value: {
			waitForCompletion: true,
			waitTimeoutMs: 30_000,
			splitOutputs: true,
			outputBinaryField: 'file',
			idempotency: 'content',
			maxCredits: 0,
			limit: Infinity,
		},
	});
});

test.each<[Json, string, RegExp]>([
	[{ waitForCompletion: 'yes' }, 'Wait for Completion', /^must be true or false, got "yes"/],
	[
		{ options: { idempotency: 'sometimes' } },
		'Avoid Paying Twice',
		/^must be one of .*"sometimes"/,
	],
	[{ options: { idempotency: '' } }, 'Avoid Paying Twice', /^is empty, although it was added/],
	[{ options: { idempotency: 'custom', idempotencyKey: ' ' } }, 'Own Key', /^is empty/],
	[
		{ options: { idempotency: 'custom', idempotencyKey: 'ä' } },
		'Own Key',
		/^may only contain printable ASCII characters/,
	],
	[{ options: { maxCredits: -1 } }, 'Max Credits per Execution', /^must be a number of at least 0/],
	[{ limit: 0 }, 'Limit', /^must be a whole number of at least 1, got 0/],
])('%j: %s %s', (parameters, field, problem) => {
	expect(problemOf(parameters)).toMatchObject({ kind: 'input', field, problem });
});

test('an option wins over what a workflow holds beside it', () => {
	const parameters = { waitForCompletion: true, options: { waitForCompletion: false } };
	expect(settings(parameters)).toMatchObject({ value: { waitForCompletion: false } });
});

test('an own key has no blanks at its ends: HTTP drops them, so that two keys would be one', () => {
	const custom = (idempotencyKey: unknown) =>
		settings({ options: { idempotency: 'custom', idempotencyKey } });
	expect(custom(' order 1 \n')).toMatchObject({ value: { idempotencyKey: 'order 1' } });
	expect(custom(17)).toMatchObject({ value: { idempotencyKey: '17' } });
});

test('Same Request says where it pays again, and beside what costs nothing it says nothing of credits', () => {
	const said = 'After a refusal for lack of credits';
	const same = idempotency.options?.find(({ name }) => name.startsWith('Same Request'));
	expect(same).toMatchObject({ description: expect.stringContaining(said) as string });
	expect(JSON.stringify(new MediaGenWebhook().description)).not.toContain(said);
});
