import type { Operation } from '../../../src/description/operation';
import { upload } from './upload';

export const operations: Operation[] = [upload];
