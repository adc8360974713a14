import type { Operation } from '../../../src/description/operation';
import { create } from './create';
import { get } from './get';
import { getAll } from './getAll';

export const operations: Operation[] = [create, get, getAll];
