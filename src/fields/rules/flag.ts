import { quoted } from '../../base/texts';
import { flagOf } from '../../base/values';
import { type Rule, whenThere } from './rule';

/** `true` and `false` in upper or lower case, 1 and 0, also as text. */
export const flag = (): Rule =>
	whenThere({}, (value) => {
		const is = flagOf(value);
		if (is !== undefined) return { value: is };
		return { problem: `must be true or false, got ${quoted(value)}` };
	});
