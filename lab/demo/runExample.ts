/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { setTimeout as sleep } from 'node:timers/promises';
import { LabError } from '../process/failure';
import { outRoot, shown } from '../process/paths';
import type { Log } from '../process/progress';
import type { Execution, Rest, SavedWorkflow } from '../n8n/rest';
import { finalStatuses } from '../n8n/rest/executions';
import type { CreditsOf } from './credits';
import { stemOf, writeFiles, type MadeFile } from './media';
import { readableSize, TextTable } from './table';

/** Has n8n keep what each node gave while the execution goes on, so that files can be shown as they come. */
export const liveResults = { EXECUTIONS_DATA_SAVE_ON_PROGRESS: 'true' };

/** Renders may take long with the real service; nodes give up by themselves before. */
const longestMs = 45 * 60_000;

/**
 * Runs an example in n8n, writes what it makes to `out/` and prints a row for each file as it comes.
 *
 * @param readCredits called after each node, when its credits are settled
 * @throws LabError with the node's own words when the execution fails, or makes nothing
 */
export async function runExample(
	rest: Rest,
	workflow: SavedWorkflow,
	readCredits: () => Promise<CreditsOf>,
	log: Log,
): Promise<void> {
	const trigger = workflow.nodes.find(({ type }) => type.endsWith('.manualTrigger'));
	if (!trigger) throw new LabError(`"${workflow.name}" has no manual trigger to start it with`);
	const id = await rest.workflows.run(workflow.id, trigger.name);
	const waiting = new Set(
		workflow.nodes
			.filter(({ type }) => type.startsWith('n8n-nodes-mediagen.'))
			.map(({ name }) => name),
	);
	const table = tableFor([...waiting]);
	let rows = 0;
	const execution = await follow(rest, id, async (current) => {
		// Nothing is saved before the first node has ended.
		const results = (current.data as Execution['data'] | undefined)?.resultData.runData ?? {};
		const finished = [...waiting].filter((name) => results[name]);
		for (const name of finished) {
			waiting.delete(name);
			const files = await writeFiles(rest, current, name, outRoot);
			if (files.length === 0) continue;
			if (rows === 0) for (const line of ['', ...table.head()]) log(line);
			rows += files.length;
			const creditsOf = await readCredits();
			files.forEach((file, index) => log(table.row(cells(file, files[index - 1], creditsOf))));
		}
	});
	if (rows > 0) log('');
	if (execution.status !== 'success') {
		const { error, lastNodeExecuted } = execution.data.resultData;
		const reason = [error?.message, error?.description].filter(Boolean).join(' — ');
		throw new LabError(`"${lastNodeExecuted}" failed: ${reason || execution.status}`);
	}
	if (rows === 0) throw new LabError(`"${workflow.name}" ran, but made no file`);
}

/** Calls back with each state of an execution until it has ended. */
async function follow(
	rest: Rest,
	id: string,
	look: (current: Execution) => Promise<void>,
): Promise<Execution> {
	const deadline = Date.now() + longestMs;
	for (;;) {
		const current = await rest.executions.get(id);
		await look(current);
		if (finalStatuses.includes(current.status)) return current;
		if (Date.now() > deadline) throw new LabError(`Execution ${id} is still ${current.status}`);
		await sleep(250);
	}
}

function tableFor(kinds: string[]): TextTable {
	const longest = (texts: string[]) => Math.max(0, ...texts.map(({ length }) => length));
	// An ending of five characters, as `.webp` has.
	const file = longest(kinds.map((kind) => `${shown(outRoot)}/${stemOf(kind)}.webp`));
	return new TextTable([
		{ heading: 'Kind', width: longest(kinds) },
		{ heading: 'File', width: file },
		{ heading: 'Size', width: 7, figures: true },
		{ heading: 'Seconds', width: 7, figures: true },
		{ heading: 'Credits', width: 7, figures: true },
	]);
}

function cells(file: MadeFile, previous: MadeFile | undefined, creditsOf: CreditsOf): string[] {
	return [
		file.kind,
		`${shown(outRoot)}/${file.fileName}`,
		readableSize(file.bytes),
		file.seconds.toFixed(1),
		// Several files of one generation were paid for once.
		previous?.generation === file.generation ? '' : creditsOf(file),
	];
}
