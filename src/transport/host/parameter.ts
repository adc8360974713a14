import type { IExecuteSingleFunctions } from 'n8n-workflow';

/** Whether there is nothing in it for n8n to evaluate. */
function isPlain(raw: unknown): boolean {
	if (typeof raw === 'string') return !raw.startsWith('=');
	return typeof raw !== 'object' || raw === null || Object.keys(raw).length === 0;
}

/**
 * A parameter of the node. n8n gets ready to evaluate each one that it is asked for, which takes
 * longer than the answer where nothing is to be evaluated: so most of them are read as they are
 * stored.
 */
export function readParameter(
	context: IExecuteSingleFunctions,
	name: string,
	fallback: unknown,
): unknown {
	const raw: unknown = context.getNodeParameter(name, fallback, { rawExpressions: true });
	return isPlain(raw) ? raw : context.getNodeParameter(name, fallback);
}
