import type { Operation } from '../../../src/description/operation';
import { get } from './get';
import { wait } from './wait';

export const operations: Operation[] = [get, wait];
