import type { Operation } from '../../../src/description/operation';
import { approve } from './approve';
import { create } from './create';
import { get } from './get';
import { getAll } from './getAll';
import { review } from './review';

export const operations: Operation[] = [approve, create, get, getAll, review];
