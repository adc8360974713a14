import type { IBinaryData } from 'n8n-workflow';
import { buildRequest } from '../../src/fields/buildRequest';
import type { Operation } from '../../src/fields/operation';
import { mappedFields, Values } from '../../src/fields/readFields';
import type { RuleContext } from '../../src/fields/rules';
import type { Json } from '../../src/base/types';

const file = (fileName: string): IBinaryData => ({ data: 'AA==', mimeType: 'image/png', fileName });

export const context: RuleContext = {
	baseUrl: 'https://api.example/v1',
	files: { data: file('a.png'), clip: file('b.png') },
};

export const localContext: RuleContext = { ...context, baseUrl: 'http://127.0.0.1:4010/v1' };

/** The values of an operation's fields for evaluated parameters. */
export const valuesOf = (
	{ fields }: Pick<Operation, 'fields'>,
	parameters: Json,
	given: RuleContext = context,
) => new Values(mappedFields(fields), parameters, false, given);

/** The request of an operation for evaluated parameters. */
export const requestOf = (
	operation: Pick<Operation, 'fields' | 'spec' | 'constants'>,
	parameters: Json,
	given: RuleContext = context,
) =>
	buildRequest(
		operation.spec.endpoint,
		valuesOf(operation, parameters, given),
		operation.constants,
	);
