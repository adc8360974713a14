import type { Operation } from '../../../src/description/operation';
import { getCredits } from './getCredits';
import { getModels } from './getModels';
import { getUsage } from './getUsage';

export const operations: Operation[] = [getCredits, getModels, getUsage];
