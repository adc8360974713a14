import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { readParameter } from './nodeInput';
import { isRecord } from '../base/types';
import { flagOf, listOf } from '../base/values';

const OPTION = 'options.';

/** A parameter whose value cannot be used. */
export class InvalidSetting extends Error {
	constructor(
		readonly field: string,
		readonly problem: string,
	) {
		super(problem);
	}
}

/** @throws InvalidSetting; `problem` follows the label of the field */
export const invalid = (field: string, problem: string): never => {
	throw new InvalidSetting(field, problem);
};

/**
 * Reads the parameters that control the transport. Expressions may evaluate to anything, so each
 * one is checked.
 */
export class ParameterReader {
	private readonly options: Record<string, unknown>;

	constructor(private readonly context: IExecuteSingleFunctions) {
		const options = readParameter(context, 'options', {});
		this.options = isRecord(options) ? options : {};
	}

	/**
	 * n8n evaluates each parameter separately, which takes time; all options together are one
	 * parameter.
	 */
	value(name: string, fallback: unknown): unknown {
		if (!name.startsWith(OPTION)) return readParameter(this.context, name, fallback);
		return this.options[name.slice(OPTION.length)] ?? fallback;
	}

	flag(name: string, label: string): boolean {
		return flagOf(this.value(name, false)) ?? invalid(label, 'must be true or false');
	}

	positive(name: string, label: string, fallback: number): number {
		const value = Number(this.value(name, fallback));
		return Number.isFinite(value) && value > 0 ? value : invalid(label, 'must be a number above 0');
	}

	/**
	 * 0 for no limit, but only if given explicitly: an expression without a value must not lift it.
	 */
	ceiling(name: string, label: string): number {
		if (!Object.hasOwn(this.options, name)) return 0;
		const value = this.options[name];
		const isNumber =
			typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
		const ceiling = isNumber ? Number(value) : NaN;
		return Number.isFinite(ceiling) && ceiling >= 0
			? ceiling
			: invalid(label, 'must be a number: 0 for no limit, or more');
	}

	choice<T extends string>(
		name: string,
		label: string,
		[first, ...others]: readonly [T, ...T[]],
	): T {
		const value = this.value(name, first);
		const known = [first, ...others].find((one) => one === value);
		return known ?? invalid(label, `must be one of ${[first, ...others].join(', ')}`);
	}

	text(name: string, fallback: string): string {
		const value = this.value(name, fallback);
		return typeof value === 'string' ? value : String(value ?? '');
	}

	/** Names, as an array or as text separated by commas or line breaks. */
	names(name: string, label: string, fallback: readonly string[]): readonly string[] {
		const names = listOf(this.value(name, fallback));
		return names.length > 0 ? names : invalid(label, 'is empty');
	}
}
