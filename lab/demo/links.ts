import type { Links, Running } from './lock';

/** Lines with the addresses, names before them in one column. */
export function linkLines(links: Links): string[] {
	const width = Math.max(...Object.keys(links).map((name) => name.length));
	return Object.entries(links).map(([name, link]) => `${name.padEnd(width)}  ${link}`);
}

/** What a second start says instead of starting. */
export function alreadyRunning({ pid, links }: Running): string[] {
	if (!links) {
		return [
			`npm start is already starting in another terminal (process ${pid}), which will show its addresses.`,
		];
	}
	return [
		`Already running at ${Object.values(links)[0]} (process ${pid}).`,
		'',
		...linkLines(links),
	];
}
