import {
	extractFromAICalls,
	traverseNodeParameters,
	type FromAIArgument,
	type IExecuteSingleFunctions,
} from 'n8n-workflow';
import { toolArguments } from '../transport/run/nodeInput';
import { isRecord } from '../transport/base/types';
import { valueAt } from '../transport/base/values';
import { isLocator } from './rules/rule';

const CALL = /\$fromAI\s*\(/i;

const LITERAL = /(["'`])(?:\\.|(?!\1)[^\\])*\1/gs;

/** One call with literal arguments and nothing else, once its texts are blanked out. */
const SINGLE_CALL = /^=\s*\{\{\s*(\/\*[^*]*\*\/\s*)?\$fromAI\s*\([\w\s.,"-]*\)\s*;?\s*\}\}\s*$/i;

function singleCall(raw: string): FromAIArgument | undefined {
	const blank = (literal: string) => (literal.includes('${') ? literal : '""');
	return SINGLE_CALL.test(raw.replace(LITERAL, blank)) ? extractFromAICalls(raw)[0] : undefined;
}

/** As n8n's `$fromAI` finds an argument, default aside. */
function argument(input: unknown, key: string): unknown {
	const own = (values: unknown) =>
		isRecord(values) && Object.hasOwn(values, key) ? values[key] : undefined;
	return own(isRecord(input) ? input.query : undefined) ?? own(input);
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

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

/** The arguments of a tool call whose parameters n8n evaluates with those of another call. */
export class OwnArguments {
	constructor(
		private readonly given: unknown,
		/** Keys whose values n8n takes from the other call. */
		private readonly mistaken: Set<string>,
	) {}

	/**
	 * The name of a parameter that contains an argument among other things, so that its right value
	 * is not known.
	 */
	mixedParameter(parameters: unknown): string | undefined {
		const isMixed = (text: string) =>
			text.startsWith('=') &&
			CALL.test(text) &&
			!singleCall(text) &&
			extractFromAICalls(text).some(({ key }) => this.mistaken.has(key));
		return find(parameters, isMixed);
	}

	/**
	 * @param raw a parameter, or part of one, as the workflow has it
	 * @param evaluated what n8n made of it
	 * @returns the same with this call's own arguments
	 */
	correct(raw: unknown, evaluated: unknown): unknown {
		if (typeof raw === 'string') {
			const call = CALL.test(raw) ? singleCall(raw) : undefined;
			return call ? (argument(this.given, call.key) ?? call.defaultValue) : evaluated;
		}
		if (isLocator(raw) && !isLocator(evaluated)) return this.correct(raw.value, evaluated);
		if (Array.isArray(raw) && Array.isArray(evaluated)) {
			return evaluated.map((entry, index) => this.correct(raw[index], entry));
		}
		if (!isRecord(raw) || !isRecord(evaluated)) return evaluated;
		const names = [...new Set([...Object.keys(evaluated), ...Object.keys(raw)])];
		return Object.fromEntries(
			names.map((name) => [name, this.correct(raw[name], evaluated[name])]),
		);
	}
}

/** A view of the context that reads parameters with the arguments of this call. */
export function correctedContext(
	context: IExecuteSingleFunctions,
	own: OwnArguments,
): IExecuteSingleFunctions {
	const { parameters } = context.getNode();
	const getNodeParameter = (name: string, ...rest: [unknown?, object?]): unknown =>
		own.correct(valueAt(parameters, name.split('.')), context.getNodeParameter(name, ...rest));
	return Object.create(context, { getNodeParameter: { value: getNodeParameter } }) as never;
}

/**
 * Calls of a tool that run at the same time share a run index, and n8n then evaluates `$fromAI` of
 * one with the arguments of another (agents up to version 2 with several items at once). The input
 * item of a call holds its own.
 *
 * @returns `undefined` where n8n evaluates with the right arguments
 */
export function ownArguments(context: IExecuteSingleFunctions): OwnArguments | undefined {
	const input = toolArguments(context);
	if (!input) return undefined;
	const calls: FromAIArgument[] = [];
	traverseNodeParameters(context.getNode().parameters, calls);
	const isMistaken = (key: string) => {
		const call = `{{ $fromAI(${JSON.stringify(key)}) }}`;
		const evaluated: unknown = context.evaluateExpression(call, context.getItemIndex());
		return !isSame(evaluated, argument(input, key));
	};
	const keys = [...new Set(calls.map(({ key }) => key))];
	const mistaken = new Set(keys.filter(isMistaken));
	return mistaken.size > 0 ? new OwnArguments(input, mistaken) : undefined;
}
