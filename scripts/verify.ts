/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import execa from 'execa';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../lab/process/paths';
import manifest from '../package.json';
import {
	GUIDELINE,
	type Finding,
	type Look,
	type Project,
	type Published,
	type State,
} from './guideline';
import { readCredentials, readNodes } from './nodes';

async function run(program: string, ...args: string[]): ReturnType<Project['run']> {
	const options = { cwd: projectRoot, preferLocal: true, reject: false } as const;
	const { failed, stdout } = await execa(program, args, options);
	return { ok: !failed, output: stdout };
}

async function answers(address: string): Promise<boolean> {
	const signal = AbortSignal.timeout(30_000);
	return await fetch(address, { signal }).then(
		({ ok }) => ok,
		() => false,
	);
}

/** What `npm view --json` prints of a package, as far as it is read here. */
interface View {
	/** A text where there is one only. */
	versions: string[] | string;
	maintainers?: string[];
}

/** @throws when npm cannot be asked */
async function published(): Promise<Published | undefined> {
	const { name, version } = manifest;
	const { ok, output } = await run('npm', 'view', name, '--json');
	if (!ok && output.includes('"E404"')) return undefined;
	if (!ok) throw new Error(`npm cannot be asked about ${name}`);
	const { versions, maintainers = [] } = JSON.parse(output) as View;
	const proof = await run(
		'npm',
		'view',
		`${name}@${version}`,
		'dist.attestations.provenance',
		'--json',
	);
	return {
		hasVersion: [versions].flat().includes(version),
		hasProvenance: proof.ok && proof.output !== '',
		maintainers,
	};
}

const project: Project = {
	manifest,
	read: (file) => readFileSync(path.join(projectRoot, file), 'utf8'),
	filesIn: (folder) =>
		readdirSync(path.join(projectRoot, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
			path.posix.join(folder, file),
		),
	async words() {
		const nodes = (await readNodes()).map(({ description }) => description);
		return JSON.stringify([nodes, await readCredentials()]);
	},
	run,
	answers,
	published,
};

/** A look that cannot be taken shows nothing. */
async function finding(look: Look): Promise<Finding> {
	try {
		return await look(project);
	} catch (error) {
		return { state: 'not met', because: (error as Error).message };
	}
}

/**
 * `npm run verify`: every line of n8n's verification guideline with its state. Ends with 1 when one is not
 * met.
 */
async function main(): Promise<void> {
	const counts: Record<State, number> = {
		met: 0,
		'by eye': 0,
		'before publishing': 0,
		'not met': 0,
	};
	for (const [section, lines] of Object.entries(GUIDELINE)) {
		console.log(`\n${section}`);
		for (const [asked, look] of Object.entries(lines)) {
			const { state, because } = await finding(look);
			counts[state] += 1;
			console.log(`  ${state.padEnd(17)}  ${asked}  (${because})`);
		}
	}
	const summary = Object.entries(counts).map(([state, count]) => `${count} ${state}`);
	console.log(`\n${summary.join(', ')}`);
	process.exitCode = counts['not met'] > 0 ? 1 : 0;
}

void main();
