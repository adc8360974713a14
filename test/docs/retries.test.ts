/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'node:fs';
import { retriesReference } from '../../scripts/reference/retries';
import { POLICIES } from '../../src/transport/limits/policies';

test('docs/retries.md shows the table of policies that the code reads: npm run reference writes it', () => {
	expect(readFileSync('docs/retries.md', 'utf8')).toBe(retriesReference());
});

type Path = string[];

const pathsOf = (value: unknown, path: Path = []): Path[] =>
	typeof value === 'object' && value !== null
		? Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, [...path, name]))
		: [path];

const figures = pathsOf(POLICIES).map((path) => path.join('.'));

test.each(figures)('the page depends on %s', (figure) => {
	const path = figure.split('.');
	const changed = structuredClone(POLICIES);
	const last = path.pop() ?? '';
	const parent = path.reduce<object>((at, name) => Reflect.get(at, name) as object, changed);
	Reflect.set(parent, last, Number(Reflect.get(parent, last)) * 3);
	expect(retriesReference(changed)).not.toBe(retriesReference());
});
