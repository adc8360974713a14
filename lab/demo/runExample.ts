/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { setTimeout as sleep } from 'node:timers/promises';
import { LabError } from '../process/failure';
import { outRoot, shown } from '../process/paths';
import type { Log } from '../process/progress';
import type { Execution, Rest, SavedWorkflow } from '../n8n/rest';
import { finalStatuses } from '../n8n/rest/executions';
import type { CreditsOf } from './credits';
import { findingsOf } from './findings';
import { stemOf, writeFiles, type MadeFile } from './media';
import { readableSize, TextTable } from './table';

/** Has n8n keep what each node gave while the execution goes on, so that files can be shown as they come. */
export const liveResults = { EXECUTIONS_DATA_SAVE_ON_PROGRESS: 'true' };

/** Renders may take long with the real service; nodes give up by themselves before. */
const longestMs = 45 * 60_000;

/** A run of an example: writes what it makes to `out/` and prints a row for each file as it comes. */
export class ExampleRun {
	/** Files so far, over all executions. */
	private rows = 0;
	/** What the last execution has found that made no file. */
	private findings: string[] = [];
	private readonly table: TextTable;
	private readonly makers: string[];

	/** @param readCredits called after each node, when its credits are settled */
	constructor(
		private readonly rest: Rest,
		private readonly workflow: SavedWorkflow,
		private readonly readCredits: () => Promise<CreditsOf>,
		private readonly log: Log,
		/** Where the files go. */
		private readonly folder = outRoot,
	) {
		this.makers = workflow.nodes
			.filter(({ type }) => type.startsWith('n8n-nodes-mediagen.'))
			.map(({ name }) => name);
		this.table = tableFor(this.makers, folder);
	}

	/**
	 * Runs it from a trigger, as the editor's Execute button does.
	 *
	 * @throws LabError with the node's own words when the execution fails
	 */
	async from(trigger: string): Promise<void> {
		await this.follow(await this.rest.workflows.run(this.workflow.id, trigger));
	}

	/**
	 * Follows an execution to its good end.
	 *
	 * @param isOver whether nothing more comes of one that never ends by itself
	 * @throws LabError with the node's own words when it fails
	 */
	async follow(id: string, isOver?: (execution: Execution) => boolean): Promise<void> {
		const runs: Record<string, number> = {};
		const files: Record<string, number> = {};
		const before = this.rows;
		const hasEnded = (one: Execution) => finalStatuses.includes(one.status) || isOver?.(one);
		const execution = await this.untilEnded(id, hasEnded, async (current) => {
			// Nothing is saved before the first node has ended.
			const results = (current.data as Execution['data'] | undefined)?.resultData.runData ?? {};
			for (const name of this.makers) {
				for (let run = runs[name] ?? 0; run < (results[name]?.length ?? 0); run += 1) {
					const earlier = files[name] ?? 0;
					const made = await writeFiles(this.rest, current, name, this.folder, { run, earlier });
					runs[name] = run + 1;
					files[name] = earlier + made.length;
					await this.print(made);
				}
			}
		});
		if (this.rows > before) this.log('');
		else this.findings = findingsOf(execution);
		if (execution.status === 'success' || isOver?.(execution)) return;
		const { error, lastNodeExecuted } = execution.data.resultData;
		const reason = [error?.message, error?.description].filter(Boolean).join(' — ');
		throw new LabError(`"${lastNodeExecuted}" failed: ${reason || execution.status}`);
	}

	/** Prints what was found where no file was made at all: then that is what the example is for. */
	conclude(): void {
		if (this.rows === 0) for (const line of ['', ...this.findings, '']) this.log(line);
	}

	private async print(files: MadeFile[]): Promise<void> {
		if (files.length === 0) return;
		if (this.rows === 0) for (const line of ['', ...this.table.head()]) this.log(line);
		this.rows += files.length;
		const creditsOf = await this.readCredits();
		files.forEach((file, index) =>
			this.log(this.table.row(this.cells(file, files[index - 1], creditsOf))),
		);
	}

	private cells(file: MadeFile, previous: MadeFile | undefined, creditsOf: CreditsOf): string[] {
		return [
			file.kind,
			`${shown(this.folder)}/${file.fileName}`,
			readableSize(file.bytes),
			file.seconds.toFixed(1),
			// Several files of one generation were paid for once.
			previous?.generation === file.generation ? '' : creditsOf(file),
		];
	}

	/** Calls back with each state of an execution until it has ended. */
	private async untilEnded(
		id: string,
		hasEnded: (current: Execution) => boolean | undefined,
		observe: (current: Execution) => Promise<void>,
	): Promise<Execution> {
		const deadline = Date.now() + longestMs;
		for (;;) {
			const current = await this.rest.executions.get(id);
			await observe(current);
			if (hasEnded(current)) return current;
			if (Date.now() > deadline) throw new LabError(`Execution ${id} is still ${current.status}`);
			await sleep(250);
		}
	}
}

function tableFor(kinds: string[], folder: string): TextTable {
	const longest = (texts: string[]) => Math.max(0, ...texts.map(({ length }) => length));
	// Up to 99 files of a kind, with an ending of five characters, as `.webp` has.
	const file = longest(kinds.map((kind) => `${shown(folder)}/${stemOf(kind)}-99.webp`));
	return new TextTable([
		{ heading: 'Kind', width: longest(kinds) },
		{ heading: 'File', width: file },
		{ heading: 'Size', width: 7, figures: true },
		{ heading: 'Seconds', width: 7, figures: true },
		{ heading: 'Credits', width: 7, figures: true },
	]);
}
