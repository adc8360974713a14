import { callerOf } from '../../../lab/demo/otherProgram';
import { baseUrl, keys } from './harness';

/** Calls the service without n8n. */
export const call = callerOf({ baseUrl, apiKey: keys.full.key });

/** A resource locator as it is stored when an id was entered. */
export const byId = (value: string) => ({ __rl: true, mode: 'id', value });
