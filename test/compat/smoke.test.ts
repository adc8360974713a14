/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import { newest, releaseNamed } from '../../lab/n8n/release';
import { TriggerInstance } from '../e2e/support/triggerInstance';
import { smoke } from './support/smoke';

const release = releaseNamed(process.env.MEDIAGEN_N8N ?? newest.name);

/** Where it keeps binary data; as it decides itself where nothing is said: 1.x in memory. */
const files =
	process.env.MEDIAGEN_N8N_FILES ?? (release.version.startsWith('1.') ? 'default' : 'filesystem');

let instance: TriggerInstance;

// An n8n that is not there yet is installed first, which takes minutes where npm has to do it and compiles
// the driver.
beforeAll(async () => {
	const env = { N8N_DEFAULT_BINARY_DATA_MODE: files };
	const log = (line: string) => process.stderr.write(`${line}\n`);
	// As a user has it: with all of its modules, its editor and what runs Code nodes.
	const whole = { lean: false, headless: false, code: true };
	instance = await TriggerInstance.start(env, { release, ...whole, log });
}, 900_000);

afterAll(async () => await instance?.stop());

describe(`n8n ${release.version}, files: ${files}`, () => smoke(() => instance));
