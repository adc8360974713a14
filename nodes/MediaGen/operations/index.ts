import type { Operation } from '../../../src/description/operation';
import { generateAudio, generateImage, generateVideo } from './generate';
import { get } from './get';
import { getAll } from './getAll';

export const operations: Operation[] = [generateImage, generateVideo, generateAudio, get, getAll];
