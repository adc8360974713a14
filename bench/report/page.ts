/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { makespanFigures, makespanTables } from '../simulation/makespan';
import type { Measured, Part, Store } from './store';
import { figureTable, markdown, type Figure } from './table';

const COMMON =
	'R = 60 requests a minute, C = 5 concurrent jobs, round trip 0.25 s. The clients are what people really use, with the schedules that their sources have (`bench/simulation/clients/`).';

const RATIOS = 'Ratios are measured side by side in one run, in turns.';

const took = ({ measured, seconds }: Measured) =>
	seconds === undefined ? measured : `${measured} It took ${seconds.toFixed(0)} s.`;

function figures(
	store: Store,
	title: string,
	intro: string,
	parts: Array<[Part, Figure[] | undefined]>,
): string[] {
	const present = parts.filter(([, rows]) => rows !== undefined);
	if (present.length === 0) return [];
	const sources = present.map(([part]) => `\`${part}\`: ${took(store[part] as Measured)}`);
	const rows = present.flatMap(([, rows = []]) => rows);
	return [markdown(figureTable(title, `${intro} ${sources.join(' ')}`, rows))];
}

/** docs/performance.md from the last results of all parts. @param plot its path from there */
export function page(store: Store, plot: string): string {
	const { clients, lists, servers, micro, n8n, events, many, sandbox } = store;
	return [
		'# Performance',
		'',
		'Made by `npm run bench`; `npm run bench -- clients servers` measures only these parts again. Each part says which commit was measured.',
		'',
		`![Time of each client](${plot})`,
		'',
		...figures(store, 'Virtual time', COMMON, [
			['clients', clients && makespanFigures(clients.result)],
			['servers', servers?.result],
		]),
		...figures(store, 'A real machine', RATIOS, [
			['micro', micro?.result],
			['n8n', n8n?.result],
			['events', events?.result],
		]),
		...(clients ? makespanTables(clients.result).map(markdown) : []),
		...(lists
			? [markdown({ ...lists.result, intro: `${lists.result.intro} ${took(lists)}` })]
			: []),
		...(many ? [markdown({ ...many.result, intro: `${many.result.intro} ${took(many)}` })] : []),
		...(sandbox
			? [
					'## The sandbox against a bare express route',
					'',
					took(sandbox),
					'',
					'```',
					sandbox.result.trim(),
					'```',
					'',
				]
			: []),
		readFileSync(path.join(__dirname, 'itemTime.md'), 'utf8'),
	].join('\n');
}
