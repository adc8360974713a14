/** As Stryker's JSON report gives it, as far as it is used. */
export interface MutantResult {
	status: 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'RuntimeError' | 'Ignored';
	/** Of a killed one, the message of the test that failed. */
	statusReason?: string;
	mutatorName: string;
	replacement?: string;
	location: { start: { line: number; column: number } };
}

/** What became of the mutants of one file. */
export interface Row {
	file: string;
	noticed: number;
	survived: number;
	/** The day it was measured, as YYYY-MM-DD. */
	measured: string;
}

export const isSurvivor = ({ status }: MutantResult): boolean =>
	status === 'Survived' || status === 'NoCoverage';

export const rowOf = (file: string, mutants: MutantResult[], measured: string): Row => ({
	file,
	noticed: mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length,
	survived: mutants.filter(isSurvivor).length,
	measured,
});

/** Mutation score in percent: the part of all valid mutants that some test notices. */
export function scoreOf({ noticed, survived }: Pick<Row, 'noticed' | 'survived'>): number {
	const all = noticed + survived;
	return all === 0 ? 100 : (noticed / all) * 100;
}

const line = (name: string, { noticed, survived, measured }: Omit<Row, 'file'>) =>
	`| ${name} | ${noticed} | ${survived} | ${scoreOf({ noticed, survived }).toFixed(1)} % | ${measured} |`;

const ROW = /^\| `([^`]+)` *\| *(\d+) *\| *(\d+) *\|[^|]*\| *([\d-]+) *\|$/gm;

/**
 * The rows of a page that was written before, so that a run of some files leaves those of the
 * others.
 */
export const rowsOf = (page: string): Row[] =>
	[...page.matchAll(ROW)].map(([, file = '', noticed, survived, measured = '']) => ({
		file,
		noticed: Number(noticed),
		survived: Number(survived),
		measured,
	}));

/**
 * The page in docs.
 * @param files all that are to be judged, in their order; those without a row are named
 */
export function report(rows: Row[], files: string[], least: number): string {
	const known = files.flatMap((file) => rows.find((row) => row.file === file) ?? []);
	const missing = files.filter((file) => !known.some((row) => row.file === file));
	const sum = (field: 'noticed' | 'survived') =>
		known.reduce((total, row) => total + row[field], 0);
	const all = { noticed: sum('noticed'), survived: sum('survived'), measured: '' };
	return `# Mutation tests

\`npm run mutation\` changes the files that decide about money and safety in every small way that [Stryker](https://stryker-mutator.io)
knows, one change at a time, and runs the tests of their folder: a change that no test notices survives. It writes this page, and fails
when the score of any file is below ${least} %. It takes a while and is not part of \`.ci/run\`. \`npm run mutation -- retry\` judges the
files whose path holds \`retry\` only, lists what survived, and replaces their rows.

| file | noticed | survived | score | measured |
| --- | ---: | ---: | ---: | --- |
${known.map((row) => line(`\`${row.file}\``, row)).join('\n')}
${line('**all**', all)}
${missing.length > 0 ? `\nNot measured yet: ${missing.map((file) => `\`${file}\``).join(', ')}.\n` : ''}`;
}
