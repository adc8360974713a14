import type { Operation } from '../../../src/description/operation';
import { createFromDescription } from './createFromDescription';
import { createFromImages } from './createFromImages';
import { deletePersona } from './delete';
import { get } from './get';
import { getAll } from './getAll';
import { update } from './update';

export const operations: Operation[] = [
	createFromDescription,
	createFromImages,
	deletePersona,
	get,
	getAll,
	update,
];
