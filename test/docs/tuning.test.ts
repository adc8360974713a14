/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'fs';
import { CONSTANTS, tuned } from '../../bench/explain/constants';
import { ORIGINS } from '../../bench/explain/origins';
import { POLICIES } from '../../src/transport/limits/policies';
import { filesIn, figuresIn } from '../support/sources';

const page = readFileSync('docs/tuning.md', 'utf8');

test('docs/tuning.md has every constant of the adaptive parts: npm run bench -- --explain writes it', () => {
	expect(CONSTANTS.length).toBeGreaterThan(20);
	const missing = CONSTANTS.filter(({ part, name }) => !page.includes(`\`${part}.${name}\``));
	expect(missing).toEqual([]);
});

test('every constant says where it comes from', () => {
	expect(CONSTANTS.map(({ name }) => name).sort()).toEqual(Object.keys(ORIGINS).sort());
	for (const origin of Object.values(ORIGINS)) expect(origin).toMatch(/^(Row|Rows|Derived): /);
});

test('every constant has a row of the bench that changes when it is halved or doubled', () => {
	expect(page).not.toMatch(/\| no row +\| no row +\|/);
});

test('docs/tuning.md names every figure of these parts of the table, adaptive or not', () => {
	const { rate, concurrency, polling } = POLICIES;
	const names = Object.keys({ ...rate, ...concurrency, ...polling });
	expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(page))).toEqual([]);
});

test('no figure hides in the code: it is in the table, or a constant with a comment', () => {
	const files = ['limits', 'jobs'].flatMap((room) => filesIn(`src/transport/${room}`));
	const coded = files.filter((file) => !file.endsWith('/policies.ts'));
	expect(coded.length).toBeGreaterThan(15);
	expect(coded.flatMap(figuresIn)).toEqual([]);
});

test.each([
	['minIntervalMs', 1.5],
	['memoryJobs', 2],
])('%s alone is replaced', (changed, factor) => {
	const constant = CONSTANTS.find(({ name }) => name === changed);
	if (!constant) throw new Error('no such constant');
	const tuning = tuned(constant, factor);
	for (const { part, name, value } of CONSTANTS) {
		const now = (tuning[part] as unknown as Record<string, number>)[name];
		expect(now).toBe(name === changed ? value * factor : value);
	}
});
