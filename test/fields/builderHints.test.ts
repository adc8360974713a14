import { readNodes } from '../../scripts/nodes';
import type { INodePropertyOptions } from 'n8n-workflow';
import { hintOf, minimalParameters } from '../../src/fields/builderHints';
import { ABSENT } from '../../src/fields/rules';
import { allOperations } from '../support/operations';

const files = { data: { data: '', mimeType: 'image/png' } };
const context = { baseUrl: 'https://api.example/v1', files };

test('every operation names what it needs, and an example that its rules take', async () => {
	const operations = await allOperations();
	expect(operations.length).toBeGreaterThan(30);
	for (const { value, fields } of operations) {
		const example = minimalParameters(fields);
		for (const { name, mapping, displayOptions } of fields) {
			if (!mapping || displayOptions?.show !== undefined) continue;
			const given = name in example ? example[name] : ABSENT;
			expect([value, name, mapping.rule(given, context)]).toEqual([
				value,
				name,
				expect.not.objectContaining({ problem: expect.anything() as unknown }),
			]);
		}
	}
});

test('the hints of a node read like this', async () => {
	const [image] = (await allOperations()).filter(({ value }) => value === 'generateImage');
	if (!image) throw new Error('no operation');
	expect(hintOf(image, undefined)).toBe(
		'Needs model, prompt. Minimal parameters: {"operation":"generateImage","model":{"__rl":true,"mode":"list","value":"first"},"prompt":"A lighthouse on a cliff at dawn, oil painting"}',
	);
	expect(hintOf(image, 'generation')).toContain('{"resource":"generation","operation":"gen');
});

test('an update shows something to change', async () => {
	for (const operation of (await allOperations()).filter(({ value }) => value === 'update')) {
		const { updateFields } = minimalParameters(operation.fields);
		expect(Object.values(updateFields as object)).toEqual([expect.stringMatching(/\w/)]);
	}
});

test('n8n serves the hints with the operations', async () => {
	const nodes = (await readNodes()).filter(
		({ description }) => !description.group.includes('trigger'),
	);
	for (const { description } of nodes) {
		const lists = description.properties.filter(({ name }) => name === 'operation');
		for (const option of lists.flatMap(({ options }) => options as INodePropertyOptions[]))
			expect(option.builderHint?.propertyHint).toMatch(/^Needs .*"operation":"/);
	}
});
