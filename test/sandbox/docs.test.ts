/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'fs';
import { join } from 'path';

import { FAULT_NAMES } from '../../sandbox/faults';
import { readSettings } from '../../sandbox/settings';

const page = readFileSync(join(__dirname, '..', '..', 'docs', 'sandbox.md'), 'utf8');

test.each(Object.keys(readSettings()))('the docs describe the setting %s', (name) => {
	expect(page).toContain(`\`${name}\``);
});

test.each(Object.keys(FAULT_NAMES))('the docs describe the fault %s', (kind) => {
	expect(page).toContain(`\`${kind}\``);
});

/** A number of the sandbox's own, and how the list of what it invents says it. */
const INVENTED: Array<[file: string, number: RegExp, said: (value: string) => string]> = [
	['deliveries', /ATTEMPTS_AT_ONCE = (\d+)/, (value) => `at most ${value} attempts at a time`],
	['deliveries', /ATTEMPT_MILLISECONDS = (\d+)_000/, (value) => `${value} real seconds`],
	['http/exchange', /MOST_REQUESTS = (\d+)_000/, (value) => `last ${value},000 requests`],
	['store', /MOST_KEPT = (\d+)_000/, (value) => `last ${value},000 jobs`],
	['store', /MOST_KEPT = (\d+)_000/, (value) => `last ${value},000 attempts`],
	['storage/library', /MOST_DRAWN = (\d+)_000/, (value) => `last ${value},000 drawn files`],
	['storage/links', /SIGNED_SECONDS = (\d+) \* 60/, (value) => `valid for ${value} minutes`],
	['storage/references', /LARGEST_DRAWN = (\d+) \*/, (value) => `at most ${value} MiB`],
	['resources/files', /LARGEST_UPLOAD = (\d+) \*/, (value) => `at most ${value} MiB`],
	['resources/voices', /DESIGN_LIMITS = \{ name: (\d+)/, (value) => `\`name\` ${value},`],
	['resources/voices', /description: (\d+),/, (value) => `\`description\` ${value},`],
	['resources/voices', /preview_text: (\d+) \}/, (value) => `\`preview_text\` ${value}`],
	['http/operation', /LARGEST_BODY = (\d+) \*/, (value) => `over ${value} MiB`],
	['http/validate', /DEEPEST = (\d+)/, (value) => `nested deeper than ${value}`],
	['schemas', /LONGEST_NAME = (\d+)/, (value) => `1 to ${value} characters`],
	['media/speech', /MOST_CHARACTERS = (\d+)_000/, (value) => `first ${value},000`],
	['media/picture', /LONGEST_CAPTION = (\d+)/, (value) => `at most ${value} characters`],
	['media/video', /LONGEST_SECONDS = (\d+)/, (value) => `1 to ${value} seconds`],
	['credits/prices', /voiceClone: (\d+)/, (value) => `a cloned voice ${value}`],
	['credits/prices', /voiceDesign: (\d+)/, (value) => `a designed one ${value}`],
	['credits/prices', /personaPortrait: (\d+)/, (value) => `portrait ${value}`],
	['credits/prices', /music: (\d+),/, (value) => `music ${value}`],
];

test.each(INVENTED)('what %s decides by %s is in the list of inventions', (file, number, said) => {
	const source = readFileSync(join(__dirname, '..', '..', 'sandbox', `${file}.ts`), 'utf8');
	const [, value = 'none'] = number.exec(source) ?? [];
	const invented = page.slice(page.indexOf('## Memory and disk')).replace(/\s+/g, ' ');
	expect(invented).toContain(said(value));
});
