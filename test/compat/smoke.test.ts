/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { newest, releaseNamed } from '../../lab/n8n/release';
import { projectRoot } from '../../lab/process/paths';
import { TriggerInstance } from '../e2e/support/triggerInstance';
import { tryExamples } from './support/examples';
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

describe(`n8n ${release.version}, files: ${files}`, () => {
	smoke(() => instance);

	it('imports all examples, has the nodes of those that the docs name, and runs what needs nobody', async () => {
		const { lacking, ran, wanted } = await tryExamples(instance);
		expect(ran).toEqual(wanted);
		expect(ran.length).toBeGreaterThan(6);
		const docs = readFileSync(path.join(projectRoot, 'docs/compatibility.md'), 'utf8');
		const [, named = ''] = /need n8n 2: ([^.]*)\./.exec(docs) ?? [];
		const needNewer = named.match(/\d+b?/g) ?? [];
		// Those between may have some of them.
		expect(needNewer).toEqual(expect.arrayContaining(lacking));
		if (release.version.startsWith('1.')) expect(lacking).toEqual(needNewer);
		if (release === newest) expect(lacking).toEqual([]);
	});
});
