/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { projectRoot } from '../../lab/process/paths';
import { isSurvivor, report, rowOf, rowsOf, scoreOf, type MutantResult, type Row } from './report';
import { TARGETS, type Target } from './targets';

const jestConfig = createRequire(__filename)('../../jest.config.js') as {
	testEnvironment: string;
};

/** Score below which the run fails, in percent, for every file by itself. */
const LEAST = 90;

const STRYKER = path.join(
	projectRoot,
	'node_modules',
	'@stryker-mutator',
	'core',
	'bin',
	'stryker.js',
);

const PAGE = path.join(projectRoot, 'docs', 'mutation.md');

/** Inside the project, so that its packages are found from the copy that Stryker changes. */
const OUT = path.join(projectRoot, 'out');

/**
 * Mutates some files and lets their tests judge, one mutant at a time, so that other work on the
 * machine makes none time out. Stryker starts once for all of them.
 */
function mutate(targets: Target[]): Map<string, MutantResult[]> {
	mkdirSync(OUT, { recursive: true });
	const folder = mkdtempSync(path.join(OUT, 'mutation-'));
	const fileName = path.join(folder, 'report.json');
	const settings = {
		mutate: targets.map(({ file }) => file),
		testRunner: 'jest',
		plugins: ['@stryker-mutator/jest-runner'],
		coverageAnalysis: 'perTest',
		// swc drops the types without checking them.
		disableTypeChecks: false,
		concurrency: 1,
		timeoutMS: 30_000,
		reporters: ['json'],
		jsonReporter: { fileName },
		tempDirName: path.join(folder, 'sandbox'),
		ignorePatterns: ['dist', 'out', 'docs', 'lab', '.n8n-lab', 'bench', 'examples'],
		jest: {
			projectType: 'custom',
			enableFindRelatedTests: false,
			// The time that a mutant costs which makes a test wait forever.
			config: {
				...jestConfig,
				// Stryker loads it by itself, from the copy, and knows nothing of <rootDir>.
				testEnvironment: jestConfig.testEnvironment.replace('<rootDir>', '.'),
				testTimeout: 20_000,
				testMatch: targets.flatMap(({ tests }) => tests.map((test) => `<rootDir>/${test}`)),
			},
		},
	};
	const settingsFile = path.join(folder, 'stryker.json');
	writeFileSync(settingsFile, JSON.stringify(settings));
	try {
		execFileSync(process.execPath, [STRYKER, 'run', settingsFile], {
			cwd: projectRoot,
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		const { files } = JSON.parse(readFileSync(fileName, 'utf8')) as {
			files: Record<string, { mutants: MutantResult[] }>;
		};
		return new Map(Object.entries(files).map(([file, { mutants }]) => [file, mutants]));
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

function show(row: Row, mutants: MutantResult[]): void {
	process.stdout.write(`${row.file}: ${scoreOf(row).toFixed(1)} % of ${mutants.length}\n`);
	for (const mutant of mutants) {
		const { status, statusReason = '', mutatorName, replacement = '', location } = mutant;
		// On a busy machine a test may be slow for no fault of the mutant: those are shown, too.
		const isByTime = status === 'Timeout' || statusReason.includes('Exceeded timeout');
		if (!isSurvivor(mutant) && !isByTime) continue;
		const { line, column } = location.start;
		process.stdout.write(`  ${line}:${column} ${status} ${mutatorName}: ${replacement}\n`);
	}
}

/** Replaces the rows that were measured, and leaves the others. */
async function writePage(rows: Row[]): Promise<void> {
	const before = existsSync(PAGE) ? rowsOf(readFileSync(PAGE, 'utf8')) : [];
	const files = TARGETS.map(({ file }) => file);
	const options = { ...(await resolveConfig(PAGE)), parser: 'markdown' };
	writeFileSync(PAGE, await format(report([...rows, ...before], files, LEAST), options));
}

async function main(names: string[]): Promise<void> {
	const targets = TARGETS.filter(
		({ file }) => names.length === 0 || names.some((name) => file.includes(name)),
	);
	const measured = new Date().toISOString().slice(0, 10);
	const low: string[] = [];
	for (const folder of new Set(targets.map(({ file }) => path.dirname(file)))) {
		const group = targets.filter(({ file }) => path.dirname(file) === folder);
		const results = mutate(group);
		const rows = group.map(({ file }) => {
			const mutants = results.get(file) ?? [];
			if (mutants.length === 0) throw new Error(`${file} has nothing to change, or is not there`);
			const row = rowOf(file, mutants, measured);
			show(row, mutants);
			return row;
		});
		await writePage(rows);
		low.push(...rows.filter((row) => scoreOf(row) < LEAST).map(({ file }) => file));
	}
	if (low.length > 0) throw new Error(`Below ${LEAST} %: ${low.join(', ')}`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exitCode = 1;
});
