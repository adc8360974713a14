/** As Stryker's JSON report gives it, as far as it is used. */
export interface MutantResult {
	status: 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'RuntimeError' | 'Ignored';
	mutatorName: string;
	replacement?: string;
	location: { start: { line: number; column: number } };
}

/** What became of the mutants of one file. */
export interface Row {
	file: string;
	mutants: MutantResult[];
}

type Status = MutantResult['status'];

const count = ({ mutants }: Row, ...statuses: Status[]): number =>
	mutants.filter(({ status }) => statuses.includes(status)).length;

const detected = (row: Row) => count(row, 'Killed', 'Timeout');

const undetected = (row: Row) => count(row, 'Survived', 'NoCoverage');

/** Mutation score in percent: the part of all valid mutants that some test notices. */
export function scoreOf(row: Row): number {
	const all = detected(row) + undetected(row);
	return all === 0 ? 100 : (detected(row) / all) * 100;
}

const line = (name: string, row: Row) =>
	`| ${name} | ${detected(row)} | ${undetected(row)} | ${scoreOf(row).toFixed(1)} % |`;

/** The page in docs. */
export function report(rows: Row[], least: number): string {
	const all: Row = { file: '', mutants: rows.flatMap(({ mutants }) => mutants) };
	return `# Mutation tests

\`npm run mutation\` changes the files that decide about money and safety in every small way that [Stryker](https://stryker-mutator.io)
knows, one change at a time, and runs their own tests: a change that no test notices survives. It writes this page, and fails when the
score of any file is below ${least} %. It takes a while and is not part of \`.ci/run\`. \`npm run mutation -- retry\` judges the files
whose name holds \`retry\` only, and lists what survived.

| file | noticed | survived | score |
| --- | ---: | ---: | ---: |
${rows.map((row) => line(`\`${row.file}\``, row)).join('\n')}
${line('**all**', all)}
`;
}
