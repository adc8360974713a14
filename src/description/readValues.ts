import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { fail, ok, type Result } from '../transport/base/result';
import { readParameter } from '../transport/run/nodeInput';
import { valueAt } from '../transport/base/values';
import type { Gathered, MappedField } from './buildRequest';

/**
 * What the hook reads itself: path values, by their name in the path, and values that n8n's routing
 * does not gather. What is hidden or was not added is not among the parameters.
 */
export function readValues(
	context: IExecuteSingleFunctions,
	fields: MappedField[],
): Result<Pick<Gathered, 'path' | 'asOneValue'>> {
	const { parameters } = context.getNode();
	const path: Record<string, unknown> = {};
	const asOneValue: Record<string, unknown> = {};
	for (const { label, parameter, mapping } of fields) {
		const isGiven = valueAt(parameters, parameter.split('.')) !== undefined;
		try {
			if (mapping.in === 'path') {
				path[mapping.as] = context.getNodeParameter(parameter, '', { extractValue: true });
			} else if (mapping.asOneValue && isGiven) {
				asOneValue[parameter] = readParameter(context, parameter, '');
			}
		} catch (error) {
			const reason = error instanceof Error ? `: ${error.message}` : '';
			return fail({ kind: 'input', field: label, problem: `cannot be evaluated${reason}` });
		}
	}
	return ok({ path, asOneValue });
}
