import {
	extractFromAICalls,
	traverseNodeParameters,
	type FromAIArgument,
	type IExecuteSingleFunctions,
} from 'n8n-workflow';
import { toolArguments } from '../run/nodeInput';
import { isRecord } from '../base/types';
import { valueAt } from '../base/values';

const CALL = /\$fromAI\s*\(/i;

const LITERAL = /(["'`])(?:\\.|(?!\1)[^\\])*\1/gs;

/** One call with literal arguments and nothing else, once its texts are blanked out. */
const SINGLE_CALL = /^=\s*\{\{\s*(\/\*[^*]*\*\/\s*)?\$fromAI\s*\([\w\s.,"-]*\)\s*;?\s*\}\}\s*$/i;

function singleCall(raw: string): FromAIArgument | undefined {
	const blank = (literal: string) => (literal.includes('${') ? literal : '""');
	return SINGLE_CALL.test(raw.replace(LITERAL, blank)) ? extractFromAICalls(raw)[0] : undefined;
}

/** As n8n's `$fromAI` finds an argument, default aside. */
function argument(input: Record<string, unknown>, key: string): unknown {
	const within = (values: unknown) =>
		isRecord(values) && Object.hasOwn(values, key) ? values[key] : undefined;
	return within(input.query) ?? within(input);
}

/** The dotted name of the first text within `raw` that a test holds for. */
function find(raw: unknown, test: (text: string) => boolean, name = ''): string | undefined {
	if (typeof raw === 'string') return test(raw) ? name : undefined;
	if (typeof raw !== 'object' || raw === null) return undefined;
	for (const [key, value] of Object.entries(raw)) {
		const found = find(value, test, name === '' ? key : `${name}.${key}`);
		if (found !== undefined) return found;
	}
	return undefined;
}

/** A call of a tool whose parameters n8n evaluates with the arguments of another call. */
export interface MixedUpCall {
	/** A parameter as it would be with this call's own arguments, from what n8n has made of it. */
	correct(parameter: string, evaluated: unknown): unknown;
	/** A parameter that combines an argument with something else: its right value is not known. */
	unknown?: string;
}

/**
 * Calls of a tool that run at the same time share a run index, and n8n then evaluates `$fromAI` of
 * one with the arguments of another (agents up to version 2 with several items at once). The input
 * item of a call holds its own.
 *
 * @returns `undefined` where n8n evaluates with the right arguments
 */
export function mixedUpCall(context: IExecuteSingleFunctions): MixedUpCall | undefined {
	const input = toolArguments(context);
	if (!input) return undefined;
	const { parameters } = context.getNode();
	const calls: FromAIArgument[] = [];
	traverseNodeParameters(parameters, calls);
	const isMistaken = ({ key }: FromAIArgument) => {
		const call = `{{ $fromAI(${JSON.stringify(key)}) }}`;
		const evaluated: unknown = context.evaluateExpression(call, context.getItemIndex());
		return JSON.stringify(evaluated) !== JSON.stringify(argument(input, key));
	};
	const mistaken = new Set(calls.filter(isMistaken).map(({ key }) => key));
	if (mistaken.size === 0) return undefined;

	const correct = (raw: unknown, evaluated: unknown): unknown => {
		if (typeof raw === 'string') {
			const call = CALL.test(raw) ? singleCall(raw) : undefined;
			return call ? (argument(input, call.key) ?? call.defaultValue) : evaluated;
		}
		if (Array.isArray(raw) && Array.isArray(evaluated)) {
			return evaluated.map((entry, index) => correct(raw[index], entry));
		}
		if (!isRecord(raw) || !isRecord(evaluated)) return evaluated;
		const names = Object.keys({ ...evaluated, ...raw });
		return Object.fromEntries(names.map((name) => [name, correct(raw[name], evaluated[name])]));
	};
	const combines = (text: string) =>
		text.startsWith('=') &&
		CALL.test(text) &&
		!singleCall(text) &&
		extractFromAICalls(text).some(({ key }) => mistaken.has(key));
	return {
		correct: (name, evaluated) => correct(valueAt(parameters, name.split('.')), evaluated),
		unknown: find(parameters, combines),
	};
}
