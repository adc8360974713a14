import type { INodeProperties } from 'n8n-workflow';
import type { Json } from '../../src/base/types';
import { buildSettings } from '../../src/fields/buildRequest';
import type { Field, Operation } from '../../src/fields/operation';
import { mappedFields } from '../../src/fields/readFields';
import { usualSettings } from '../../src/fields/settings';
import { readNodes } from '../../scripts/nodes';
import { goodFor, showing, withValue } from '../support/goodValues';
import { requestOf, valuesOf } from '../support/rules';

/** The default of a field as the editor serves it: no functions, nothing of ours. */
const served = ({ default: usual }: INodeProperties): unknown =>
	JSON.parse(JSON.stringify(usual)) as unknown;

/** What the editor fills in, with good values where it leaves a field empty that is required. */
function opened(operation: Operation): Json {
	const top = mappedFields(operation.fields).filter(({ parameter }) => !parameter.includes('.'));
	return top.reduce((all: Json, one) => {
		const { field, parameter } = one;
		const isOpen =
			field.required || field.mapping?.in === 'path' || parameter === 'referenceImages';
		const isForm = ['blocks', 'blocksJson'].includes(parameter);
		return withValue(all, parameter, isOpen || isForm ? goodFor(one) : served(field));
	}, {});
}

interface Option {
	operation: Operation;
	collection: Field;
	option: Field;
}

async function options(): Promise<Option[]> {
	const operations = (await readNodes()).flatMap((node) => node.operations);
	return operations.flatMap(({ operation }) =>
		operation.fields.flatMap((collection) =>
			(collection.fields ?? []).map((option) => ({ operation, collection, option })),
		),
	);
}

/** An own key must be entered, and is offered only to those who chose it. */
const MUST_BE_FILLED = ['idempotencyKey'];

function prepared({ operation, collection, option }: Option) {
	const path = `${collection.name}.${option.name}`;
	const field = mappedFields(operation.fields).find(({ parameter }) => parameter === path);
	const shown = field ? showing(opened(operation), field) : opened(operation);
	const parameters = withValue(shown, path, served(option));
	const request = requestOf(operation, parameters);
	const settings = buildSettings(valuesOf(operation, parameters), usualSettings({}, false));
	return { request, settings };
}

test('every option, added and left alone, works', async () => {
	const all = await options();
	expect(all.length).toBeGreaterThan(100);
	const failing = all
		.filter(({ option }) => !MUST_BE_FILLED.includes(option.name))
		.filter((one) => {
			const { request, settings } = prepared(one);
			const isEmptyUpdate =
				!request.ok &&
				request.failure.kind === 'input' &&
				request.failure.field === 'Update Fields';
			return !settings.ok || !(request.ok || isEmptyUpdate);
		})
		.map(({ operation, option }) => `${operation.action}: ${option.displayName}`);
	expect(failing).toEqual([]);
});

test('every operation works as it opens, once its required fields are filled in', async () => {
	const failing = (await readNodes())
		.flatMap((node) => node.operations)
		.filter(({ operation }) => operation.value !== 'update')
		.filter(({ operation }) => !requestOf(operation, opened(operation)).ok)
		.map(({ operation }) => operation.action);
	expect(failing).toEqual([]);
});
