import type { MappedField } from '../../src/fields/buildRequest';
import type { RuleContext } from '../../src/fields/rules';
import { valueAt } from '../../src/base/values';

export const context: RuleContext = {
	baseUrl: 'https://api.example/v1',
	binaryFields: ['data', 'clip'],
};

export const localContext: RuleContext = { ...context, baseUrl: 'http://127.0.0.1:4010/v1' };

/** The values of fields by the names of their parameters, from an object with the names of the request. */
export const valuesOf = (fields: MappedField[], given: unknown) =>
	Object.fromEntries(
		fields.map(({ parameter, mapping: { as } }) => [parameter, valueAt(given, as.split('.'))]),
	);
