import type { Table } from '../report/table';
import { ORIGINS } from './origins';
import type { Explained, Rows } from './measure';
import type { Measured } from './rows';

/** From which change on a figure of a row has changed: less is the luck of the seeds. */
const LEAST: Record<keyof Measured, (before: number, after: number) => boolean> = {
	time: (before, after) => Math.abs(after / before - 1) > 0.01,
	requests: (before, after) => Math.abs(after / before - 1) > 0.03,
	refused: (before, after) => Math.abs(after - before) > Math.max(1, before * 0.2),
	lost: (before, after) => after !== before,
};

const SHOWN: Record<keyof Measured, (value: number) => string> = {
	time: (value) => `time × ${value.toFixed(3)}`,
	requests: (value) => `${value.toFixed(2)} requests a job`,
	refused: (value) => `${value} × 429`,
	lost: (value) => `${value} lost`,
};

/** How many rows are named; the others are counted. */
const MOST = 4;

interface Change {
	text: string;
	size: number;
}

function changesOf(
	row: string,
	before: Measured | undefined,
	after: Measured | undefined,
): Change[] {
	if (!before) return [];
	if (!after) return [{ text: `${row}: does not end`, size: Infinity }];
	const names = (Object.keys(LEAST) as Array<keyof Measured>).filter((name) =>
		LEAST[name](before[name], after[name]),
	);
	if (names.length === 0) return [];
	const texts = names.map((name) => `${SHOWN[name](before[name])} → ${SHOWN[name](after[name])}`);
	const size = Math.max(
		...names.map((name) => Math.abs(after[name] - before[name]) / Math.max(1, before[name])),
	);
	return [{ text: `${row}: ${texts.join(', ')}`, size }];
}

function shown(now: Rows, changed: Rows): string {
	const changes = Object.keys(now).flatMap((row) => changesOf(row, now[row], changed[row]));
	if (changes.length === 0) return 'no row';
	const largest = changes.sort((a, b) => b.size - a.size).slice(0, MOST);
	const more = changes.length > MOST ? [`and ${changes.length - MOST} more rows`] : [];
	return [...largest.map(({ text }) => text), ...more].join('; ');
}

export function explainTables(now: Rows, all: Explained[]): Table[] {
	const constants = all.map(({ part, name, value, half, double }) => [
		`\`${part}.${name}\``,
		value.toLocaleString('en'),
		ORIGINS[name as keyof typeof ORIGINS],
		shown(now, half),
		shown(now, double),
	]);
	const rows = Object.entries(now).map(([row, measured]) => [
		row,
		...(measured
			? [
					measured.time.toFixed(3),
					measured.requests.toFixed(2),
					String(measured.refused),
					String(measured.lost),
				]
			: ['does not end', '', '', '']),
	]);
	return [
		{
			title: 'Each constant, halved and doubled',
			intro:
				'The largest changes come first. A time counts as changed from 1 % on, requests from 3 %, 429s from a fifth; less is the luck of the seeds.',
			head: ['constant', 'value', 'where it comes from', 'halved', 'doubled'],
			rows: constants,
		},
		{
			title: 'The rows',
			intro:
				'List polling, where not said otherwise, with R = 60 and C = 5; three seeds where durations are scattered. Time over the bound N d / C, of reads over the time that the service allows them in, of an outage in minutes after its end; requests a job, those without an answer included there; 429s in all.',
			head: ['row', 'time', 'requests', '429s', 'lost'],
			rows,
		},
	];
}
