import { files } from './files';
import { limits } from './limits';
import { money } from './money';
import type { Mutant } from './mutant';
import { reads } from './reads';
import { triggers } from './triggers';
import { values } from './values';

/** All mutants, by what they are about. */
export const mutants: readonly Mutant[] = [
	...money,
	...limits,
	...values,
	...triggers,
	...files,
	...reads,
];
