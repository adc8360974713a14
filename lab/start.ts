import type { INode } from 'n8n-workflow';
import path from 'node:path';
import { saveCredential, type Access } from './credential';
import { LabError } from './failure';
import { stateRoot } from './paths';
import { isFree } from './ports';
import { withProgress, type Tell } from './progress';
import type { SavedWorkflow } from './rest';
import { startSandbox } from './sandbox';
import { keyRing } from './sandboxAdmin';
import { demoOwner, setStage, type Stage } from './stage';
import { Cleanup } from './start/cleanup';
import { estimated, spentInSandbox, type CreditsOf } from './start/credits';
import { readExamples, saveWorkflow, withCredential, withModels } from './start/examples';
import { lock } from './start/lock';
import { modelChooser } from './start/models';
import { readOptions, type StartOptions } from './start/options';
import { runExample } from './start/runExample';

/** How many times faster than life the sandbox makes media for a demonstration. */
const clockScale = 60;

const tell: Tell = (line) => console.log(line);
const cleanup = new Cleanup();

/** A service that media can be asked of, and how to learn what they cost. */
interface Service {
	access: Access;
	/** Chooses a model for a creation of the examples. */
	choose: (node: INode) => string;
	readCredits: () => Promise<CreditsOf>;
}

async function startService({ service }: StartOptions): Promise<Service> {
	if (service) {
		const choose = await modelChooser(service);
		return { access: service, choose, readCredits: async () => estimated };
	}
	const sandbox = await withProgress(
		tell,
		'Starting the sandbox',
		async () => await startSandbox({ clockScale }),
	);
	cleanup.add(sandbox.stop);
	const { key } = keyRing(sandbox).full;
	const access = { apiKey: key, baseUrl: sandbox.baseUrl, clockScale };
	return {
		access,
		choose: await modelChooser(access),
		readCredits: async () => await spentInSandbox(sandbox),
	};
}

async function startStage(options: StartOptions): Promise<Stage> {
	const stage = await setStage({
		userFolder: path.join(stateRoot, 'n8n'),
		port: options.port,
		tell,
	});
	cleanup.add(stage.n8n.stop);
	return stage;
}

/** Credential and examples stand ready in the editor; the first example runs. */
async function demonstrate(
	{ rest }: Stage,
	{ access, choose, readCredits }: Service,
): Promise<void> {
	const credential = await saveCredential(rest, 'MediaGen account', access);
	const saved: SavedWorkflow[] = [];
	for (const example of readExamples()) {
		const ready = withModels(withCredential(example, credential), choose);
		saved.push(await saveWorkflow(rest, ready));
	}
	await withProgress(tell, `Running "${saved[0].name}" in n8n`, async () => {
		await runExample(rest, saved[0], readCredits, tell);
	});
}

async function stayUp({ n8n }: Stage): Promise<void> {
	tell(`n8n is at ${n8n.baseUrl} — sign in with ${demoOwner.email} / ${demoOwner.password}`);
	tell('Ctrl-C stops everything.');
	const code = await n8n.ended;
	throw new LabError(`n8n ended by itself with code ${code}`, n8n.logFile);
}

async function main(): Promise<void> {
	const options = readOptions(process.argv.slice(2), process.env);
	if (!(await isFree(options.port))) {
		throw new LabError(`Port ${options.port} is busy: choose another one for n8n with N8N_PORT`);
	}
	cleanup.add(lock());
	const service = await startService(options);
	const stage = await startStage(options);
	let failed = false;
	await demonstrate(stage, service).catch((error: unknown) => {
		if (options.once) throw error;
		failed = true;
		report(error);
	});
	if (options.once) return;
	process.exitCode = failed ? 1 : 0;
	await stayUp(stage);
}

function report(error: unknown): void {
	console.error(error instanceof LabError ? error.message : error);
}

let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
	process.on(signal, () => {
		// npm and the terminal both send one.
		if (interrupted) return;
		interrupted = true;
		tell('\nStopping …');
		void cleanup.end().then(() => process.exit(process.exitCode ?? 130));
	});
}

main()
	.catch((error: unknown) => {
		if (interrupted) return;
		process.exitCode = 1;
		report(error);
	})
	.finally(async () => await cleanup.end());
