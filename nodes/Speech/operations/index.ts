import type { Operation } from '../../../src/description/operation';
import { create } from './create';
import { get } from './get';

export const operations: Operation[] = [create, get];
