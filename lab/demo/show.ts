/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { IBinaryData } from 'n8n-workflow';
import { finalStatuses, type Execution, type Rest, type SavedWorkflow } from '../n8n/rest';
import { LabError } from '../process/failure';
import { outRoot, shown } from '../process/paths';
import { until } from '../process/process';
import type { Log } from '../process/progress';
import type { CreditsOf } from './service';

/** Has n8n keep what each node gave while the execution goes on, so that files can be shown as they come. */
export const liveResults = { EXECUTIONS_DATA_SAVE_ON_PROGRESS: 'true' };

/** Renders may take long with the real service; nodes give up by themselves before. */
export const longestMs = 45 * 60_000;

/** A file that a node of the example has produced. */
export interface MadeFile {
	/** Name of the node: what it made. */
	kind: string;
	/** Name in the output folder. */
	fileName: string;
	bytes: number;
	/** How long the node took, in seconds. */
	seconds: number;
	/** Id of the generation. */
	generation: string;
	/** What the generation has reserved, as far as the service says. */
	estimatedCredits?: number;
}

/** What the names of a node's files begin with: `Generate Speech` becomes `generate-speech.wav`. */
const stemOf = (kind: string) => kind.toLowerCase().replace(/[^a-z0-9]+/g, '-');

const extensionOf = ({ fileExtension, fileName }: IBinaryData) =>
	fileExtension ?? fileName?.split('.').at(-1) ?? 'bin';

/**
 * Writes every file that a run of a node has output into a folder.
 *
 * @param run index of the run, of a node in a loop; default: the last one
 * @param earlier how many files of the node are there already
 */
export async function writeFiles(
	rest: Rest,
	execution: Execution,
	kind: string,
	folder: string,
	{ run: index = -1, earlier = 0 }: { run?: number; earlier?: number } = {},
): Promise<MadeFile[]> {
	mkdirSync(folder, { recursive: true });
	const made: MadeFile[] = [];
	const run = execution.data.resultData.runData[kind]?.at(index);
	// A tool's files stay with its own run.
	const items = (run?.data?.main ?? run?.data?.ai_tool)?.[0] ?? [];
	for (const { json, binary = {} } of items) {
		for (const file of Object.values(binary)) {
			const count = earlier + made.length;
			const fileName = `${stemOf(kind)}${count ? `-${count + 1}` : ''}.${extensionOf(file)}`;
			const content = await rest.download(file);
			writeFileSync(path.join(folder, fileName), content);
			made.push({
				kind,
				fileName,
				bytes: content.length,
				seconds: (run?.executionTime ?? 0) / 1000,
				generation: String(json.resourceId ?? json.id),
				estimatedCredits: json.estimated_credits as number | undefined,
			});
		}
	}
	return made;
}

/** A column: its heading, its least width, and whether its cells are figures, which line up at the right. */
export type Column = [heading: string, width: number, figures?: 'figures'];

/** A table of text whose rows are printed one by one, its head before the first. */
export class TextTable {
	/** Rows so far. */
	rows = 0;

	constructor(
		private readonly columns: Column[],
		private readonly log: Log,
	) {}

	print(cells: string[]): void {
		if (this.rows === 0) {
			const rules = this.columns.map(([heading, width]) =>
				'─'.repeat(Math.max(width, heading.length)),
			);
			this.log('');
			this.log(this.line(this.columns.map(([heading]) => heading)));
			this.log(rules.join('  '));
		}
		this.rows += 1;
		this.log(this.line(cells));
	}

	private line(cells: string[]): string {
		const padded = this.columns.map(([heading, least, figures], column) => {
			const width = Math.max(least, heading.length);
			const cell = cells[column] ?? '';
			return figures ? cell.padStart(width) : cell.padEnd(width);
		});
		return padded.join('  ').trimEnd();
	}
}

/** Bytes as a person reads them. */
export function readableSize(bytes: number): string {
	if (bytes < 1024) return `${bytes} B`;
	const kibibytes = bytes / 1024;
	return kibibytes < 1024
		? `${kibibytes.toFixed(kibibytes < 10 ? 1 : 0)} kB`
		: `${(kibibytes / 1024).toFixed(1)} MB`;
}

/** More than these say nothing more to a person. */
const MOST_ITEMS = 10;

/**
 * What an execution that made no file has found: the items of the node that it ended with, a text of theirs where they have
 * one.
 */
export function findingsOf({ data }: Execution): string[] {
	const { lastNodeExecuted = '', runData } = data.resultData;
	const run = runData[lastNodeExecuted]?.at(-1);
	const items = (run?.data?.main ?? []).flatMap((output) => output ?? []);
	if (items.length === 0) return [`"${lastNodeExecuted}" found nothing.`];
	const lines = items
		.slice(0, MOST_ITEMS)
		.flatMap(({ json }) =>
			typeof json.text === 'string' ? json.text.split('\n') : [JSON.stringify(json)],
		);
	const left = items.length - MOST_ITEMS;
	const all = [...lines, ...(left > 0 ? [`… and ${left} more`] : [])];
	return [`${lastNodeExecuted}:`, ...all.map((line) => (line ? `  ${line}` : line))];
}

/** @throws LabError with the node's own words when an execution has failed */
export function requireSuccess({ status, data }: Execution): void {
	if (status === 'success') return;
	const { error, lastNodeExecuted } = data.resultData;
	const reason = [error?.message, error?.description].filter(Boolean).join(' — ');
	throw new LabError(`"${lastNodeExecuted}" failed: ${reason || status}`);
}

/** Names of the nodes that make something. */
export const makersOf = ({ nodes }: SavedWorkflow): string[] =>
	nodes.filter(({ type }) => type.startsWith('n8n-nodes-mediagen.')).map(({ name }) => name);

/** A run of an example: writes what it makes to `out/` and prints a row for each file as it comes. */
export class ExampleRun {
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
		this.makers = makersOf(workflow);
		const longest = (texts: string[]) => Math.max(0, ...texts.map(({ length }) => length));
		// Up to 99 files of a kind, with an ending of five characters, as `.webp` has.
		const files = this.makers.map((kind) => `${shown(folder)}/${stemOf(kind)}-99.webp`);
		const columns: Column[] = [
			['Kind', longest(this.makers)],
			['File', longest(files)],
			['Size', 7, 'figures'],
			['Seconds', 7, 'figures'],
			['Credits', 7, 'figures'],
		];
		this.table = new TextTable(columns, log);
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
		const before = this.table.rows;
		const ended = async () => {
			const current = await this.rest.executions.get(id);
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
			return (finalStatuses.includes(current.status) || isOver?.(current)) && current;
		};
		const execution = await until(ended, { timeoutMs: longestMs, everyMs: 250 });
		if (!execution) throw new LabError(`Execution ${id} is still running`);
		if (this.table.rows > before) this.log('');
		else this.findings = findingsOf(execution);
		if (!isOver?.(execution)) requireSuccess(execution);
	}

	/** Prints what was found where no file was made at all: then that is what the example is for. */
	conclude(): void {
		if (this.table.rows === 0) for (const line of ['', ...this.findings, '']) this.log(line);
	}

	private async print(files: MadeFile[]): Promise<void> {
		if (files.length === 0) return;
		const creditsOf = await this.readCredits();
		for (const [index, file] of files.entries()) {
			// Several files of one generation were paid for once.
			const isPaid = files[index - 1]?.generation === file.generation;
			this.table.print([
				file.kind,
				`${shown(this.folder)}/${file.fileName}`,
				readableSize(file.bytes),
				file.seconds.toFixed(1),
				isPaid ? '' : creditsOf(file),
			]);
		}
	}
}
