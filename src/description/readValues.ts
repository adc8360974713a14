import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { fail, ok, type Result } from '../transport/base/result';
import { isRecord } from '../transport/base/types';
import { readParameter } from '../transport/run/nodeInput';
import { valueAt } from '../transport/base/values';
import type { MappedField } from './buildRequest';

type Values = Record<string, unknown>;

interface Read {
	path: Values;
	asOneValue: Values;
}

const isEmptyCollection = (raw: unknown) => isRecord(raw) && Object.keys(raw).length === 0;

/**
 * n8n looks up and evaluates each parameter by itself, which costs; in this one there is nothing to
 * evaluate.
 */
const isEmptyLocator = (raw: unknown) => isRecord(raw) && '__rl' in raw && raw.value === '';

/**
 * A failure for the first field that cannot be evaluated; for the last one if each can be on its
 * own.
 */
function unreadable(
	context: IExecuteSingleFunctions,
	fields: MappedField[],
	thrown: unknown,
): Result<never> {
	const reasonOf = ({ parameter }: MappedField): unknown => {
		try {
			context.getNodeParameter(parameter, '');
			return undefined;
		} catch (error) {
			return error;
		}
	};
	const field = fields.find((one) => reasonOf(one) !== undefined) ?? fields.at(-1);
	const reason = thrown instanceof Error ? `: ${thrown.message}` : '';
	const problem = `cannot be evaluated${reason}`;
	return fail({ kind: 'input', field: field?.label ?? 'A parameter', problem });
}

/**
 * What the hook reads itself: path values, by their name in the path, and values that n8n's routing
 * does not gather.
 */
export function readValues(context: IExecuteSingleFunctions, fields: MappedField[]): Result<Read> {
	const { parameters } = context.getNode();
	const path: Values = {};
	const asOneValue: Values = {};
	const evaluated: Values = {};
	for (const field of fields) {
		const { parameter, mapping } = field;
		const [top = '', ...within] = parameter.split('.');
		try {
			if (mapping.in === 'path') {
				path[mapping.as] = context.getNodeParameter(parameter, '', { extractValue: true });
			}
			// n8n leaves out what is hidden.
			if (!mapping.asOneValue || !Object.hasOwn(parameters, top)) continue;
			// Nothing to read is not worth an evaluation.
			if (within.length > 0 && isEmptyCollection(parameters[top])) continue;
			evaluated[top] ??= isEmptyLocator(parameters[top])
				? parameters[top]
				: readParameter(context, top, '');
		} catch (error) {
			const ofTop = ({ parameter: other }: MappedField) => `${other}.`.startsWith(`${top}.`);
			return unreadable(context, fields.filter(ofTop), error);
		}
		const value = valueAt(evaluated[top], within);
		if (within.length === 0 || value !== undefined) asOneValue[parameter] = value;
	}
	return ok({ path, asOneValue });
}
