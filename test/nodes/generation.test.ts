import type { INodeProperties } from 'n8n-workflow';
import { MediaGenGeneration } from '../../nodes/Generation/MediaGenGeneration.node';
import { INPUT_SLOTS } from '../../src/contract';

const { description } = new MediaGenGeneration();

const field = (name: string, operation: string): INodeProperties => {
	const found = description.properties.find(
		(property) =>
			property.name === name && property.displayOptions?.show?.operation?.includes(operation),
	);
	if (!found) throw new Error(`no field ${name}`);
	return found;
};

const names = (fields: INodeProperties['options']) => (fields ?? []).map(({ name }) => name).sort();

test('has the operations and the name that stand in workflows', () => {
	expect(description.name).toBe('mediaGenGeneration');
	expect(description.usableAsTool).toBe(true);
	const operation = description.properties.find(({ name }) => name === 'operation');
	expect((operation?.options ?? []).map((option) => 'value' in option && option.value)).toEqual([
		'create',
		'get',
		'getAll',
	]);
	expect(operation?.default).toBe('create');
});

test('offers all nine input slots and all eleven parameters of the specification', () => {
	expect(names(field('input', 'create').options)).toEqual([...INPUT_SLOTS].sort());
	expect(names(field('parameters', 'create').options)).toEqual([
		'aspect_ratio',
		'count',
		'duration',
		'language_boost',
		'loop',
		'lyrics',
		'quality',
		'resolution',
		'size',
		'speed',
		'voice',
	]);
});

test('waits and downloads by default', () => {
	expect(field('waitForCompletion', 'create').default).toBe(true);
	expect(field('downloadOutputs', 'create').default).toBe(true);
	expect(field('delivery', 'create').default).toBe('public_url');
});

test('every field of the body goes to its place in the request', () => {
	const routed = (property: INodeProperties) => property.routing?.send?.property;
	for (const name of ['mode', 'model', 'prompt', 'delivery'])
		expect(routed(field(name, 'create'))).toBe(name);
	expect(routed(field('personaId', 'create'))).toBe('persona_id');
	for (const part of ['input', 'parameters']) {
		for (const option of (field(part, 'create').options ?? []) as INodeProperties[]) {
			expect(routed(option)).toBe(`${part}.${option.name}`);
			expect(option.routing?.send?.type).toBe('body');
		}
	}
});
