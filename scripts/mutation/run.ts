/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { projectRoot } from '../../lab/process/paths';
import { report, scoreOf, type MutantResult, type Row } from './report';
import { TARGETS, type Target } from './targets';

const jestConfig = createRequire(__filename)('../../jest.config.js') as Record<string, unknown>;

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

/** Mutates one file and lets its own tests judge, one mutant at a time, so that other work on the machine makes none time out. */
function mutate({ file, tests }: Target): Row {
	const folder = mkdtempSync(path.join(tmpdir(), 'mutation-'));
	const fileName = path.join(folder, 'report.json');
	const settings = {
		mutate: [file],
		testRunner: 'jest',
		plugins: ['@stryker-mutator/jest-runner'],
		coverageAnalysis: 'perTest',
		concurrency: 1,
		timeoutMS: 20_000,
		reporters: ['json'],
		jsonReporter: { fileName },
		tempDirName: path.join(folder, 'sandbox'),
		ignorePatterns: ['dist', 'out', 'docs', 'lab', '.n8n-lab'],
		jest: {
			projectType: 'custom',
			enableFindRelatedTests: false,
			// A mutant that makes a test wait for ever costs so much time.
			config: {
				...jestConfig,
				testTimeout: 10_000,
				testMatch: tests.map((test) => `<rootDir>/${test}`),
			},
		},
	};
	const settingsFile = path.join(folder, 'stryker.json');
	writeFileSync(settingsFile, JSON.stringify(settings));
	try {
		const args = [STRYKER, 'run', settingsFile];
		execFileSync(process.execPath, args, {
			cwd: projectRoot,
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		const { files } = JSON.parse(readFileSync(fileName, 'utf8')) as {
			files: Record<string, { mutants: MutantResult[] }>;
		};
		const { mutants } = files[file] ?? { mutants: [] };
		if (mutants.length === 0) throw new Error(`${file} has nothing to change, or is not there`);
		return { file, mutants };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

async function main(names: string[]): Promise<void> {
	const targets = TARGETS.filter(({ file }) =>
		names.length === 0 ? true : names.some((name) => file.includes(name)),
	);
	const rows: Row[] = [];
	for (const target of targets) {
		const row = mutate(target);
		rows.push(row);
		process.stdout.write(`${target.file}: ${scoreOf(row).toFixed(1)} %\n`);
		for (const { status, location, mutatorName, replacement } of row.mutants) {
			if (status !== 'Survived' && status !== 'NoCoverage') continue;
			const { line, column } = location.start;
			process.stdout.write(`  ${line}:${column} ${status} ${mutatorName}: ${replacement ?? ''}\n`);
		}
	}
	if (names.length === 0) {
		const page = path.join(projectRoot, 'docs', 'mutation.md');
		const options = { ...(await resolveConfig(page)), parser: 'markdown' };
		writeFileSync(page, await format(report(rows, LEAST), options));
	}
	const low = rows.filter((row) => scoreOf(row) < LEAST).map(({ file }) => file);
	if (low.length > 0) throw new Error(`Below ${LEAST} %: ${low.join(', ')}`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exitCode = 1;
});
