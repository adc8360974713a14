import type { INodeProperties } from 'n8n-workflow';
import { MediaGen } from '../../nodes/MediaGen/MediaGen.node';
import { approve } from '../../nodes/AgentRun/operations';
import { ABSENT } from '../../src/fields/rules';
import { context } from '../support/rules';

const fieldsOf = (node: { description: { properties: INodeProperties[] } }, operation: string) =>
	node.description.properties.filter(
		({ displayOptions, type }) =>
			type !== 'hidden' && displayOptions?.show?.operation?.includes(operation),
	);

const names = (fields: INodeProperties[]) => fields.map(({ name }) => name);

test('each thing to make is an action, named after its result, and what is rarely touched an option', () => {
	const node = new MediaGen();
	const operation = node.description.properties.find(({ name }) => name === 'operation');
	const actions = (operation?.options ?? []).map((option) => 'action' in option && option.action);
	expect(actions.slice(0, 3)).toEqual(['Generate an image', 'Generate a video', 'Generate audio']);
	expect(names(fieldsOf(node, 'generateImage'))).toEqual([
		...['model', 'prompt', 'parameters', 'input', 'options'],
	]);
});

describe('Approve', () => {
	const field = (name: string) => {
		const found = approve.fields.find((one) => one.name === name);
		if (!found) throw new Error(`no field ${name}`);
		return found;
	};

	test('opens with a budget that may be sent and a plan that is JSON', () => {
		const { default: usual, mapping: sent } = field('maxCredits');
		expect(sent?.rule(usual, context)).toEqual({ value: 100 });
		expect(JSON.parse(String(field('plan').default))).toEqual({});
	});

	test.each([['{}'], [{}], [''], [ABSENT]])('sends no plan for %j', (given) => {
		expect(field('plan').mapping?.rule(given, context)).toEqual({ value: undefined });
	});

	test('sends an edited plan, and refuses what is none', () => {
		const { mapping: sent } = field('plan');
		expect(sent?.rule('{"title": "Mine"}', context)).toEqual({ value: { title: 'Mine' } });
		for (const wrong of ['[1]', undefined, null])
			expect(sent?.rule(wrong, context)).toHaveProperty('problem');
	});
});
