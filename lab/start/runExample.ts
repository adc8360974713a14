import { LabError } from '../failure';
import { outRoot, shown } from '../paths';
import type { Tell } from '../progress';
import type { Rest, SavedWorkflow } from '../rest';
import type { CreditsOf } from './credits';
import { writeFiles, type MadeFile } from './media';
import { readableSize, tableLines } from './table';

/**
 * Runs an example in n8n, writes what it made to `out/` and prints a table of it.
 *
 * @param readCredits called after the run, when the credits are settled
 * @throws LabError with the node's own words when the execution fails, or makes nothing
 */
export async function runExample(
	rest: Rest,
	workflow: SavedWorkflow,
	readCredits: () => Promise<CreditsOf>,
	tell: Tell,
): Promise<void> {
	const trigger = workflow.nodes.find(({ type }) => type.endsWith('.manualTrigger'));
	if (!trigger) throw new LabError(`"${workflow.name}" has no manual trigger to start it with`);
	const id = await rest.workflows.run(workflow.id, trigger.name);
	const execution = await rest.executions.wait(id, { timeoutMs: 45 * 60_000 });
	const makers = workflow.nodes.filter(({ type }) => type.startsWith('n8n-nodes-mediagen.'));
	const files = await writeFiles(
		rest,
		execution,
		makers.map(({ name }) => name),
		outRoot,
	);
	if (files.length > 0) for (const line of table(files, await readCredits())) tell(line);
	if (execution.status !== 'success') {
		const { error, lastNodeExecuted } = execution.data.resultData;
		const reason = [error?.message, error?.description].filter(Boolean).join(' — ');
		throw new LabError(`"${lastNodeExecuted}" failed: ${reason || execution.status}`);
	}
	if (files.length === 0) throw new LabError(`"${workflow.name}" ran, but made no file`);
}

function table(files: MadeFile[], creditsOf: CreditsOf): string[] {
	const rows = files.map((file, index) => [
		file.kind,
		`${shown(outRoot)}/${file.fileName}`,
		readableSize(file.bytes),
		file.seconds.toFixed(1),
		// Several files of one generation were paid for once.
		index > 0 && files[index - 1].generation === file.generation ? '' : creditsOf(file),
	]);
	const columns = [
		{ heading: 'Kind' },
		{ heading: 'File' },
		{ heading: 'Size', figures: true },
		{ heading: 'Seconds', figures: true },
		{ heading: 'Credits', figures: true },
	];
	return ['', ...tableLines(columns, rows), ''];
}
