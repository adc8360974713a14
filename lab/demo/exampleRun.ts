/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { IBinaryData, INode, ITaskData } from 'n8n-workflow';
import { finalStatuses, type Execution, type Rest, type SavedWorkflow } from '../n8n/rest';
import { LabError } from '../process/failure';
import { shown } from '../process/paths';
import { until } from '../process/process';
import type { Log } from '../process/progress';
import { isOurs } from './examples';
import type { CreditsOf } from './service';

/** Has n8n keep what each node gave while the execution goes on, so that files can be shown as they come. */
export const liveResults = { EXECUTIONS_DATA_SAVE_ON_PROGRESS: 'true' };

/** Renders may take long with the real service; nodes give up by themselves before. */
const longestMs = 45 * 60_000;

/** Bytes as a person reads them. */
function readable(bytes: number): string {
	const kibibytes = bytes / 1024;
	if (kibibytes < 1) return `${bytes} B`;
	if (kibibytes >= 1024) return `${(kibibytes / 1024).toFixed(1)} MB`;
	return `${kibibytes.toFixed(kibibytes < 10 ? 1 : 0)} kB`;
}

/** What the names of a node's files begin with: `Generate Speech` becomes `generate-speech.wav`. */
const stemOf = (node: string) => node.toLowerCase().replace(/[^a-z0-9]+/g, '-');

const extensionOf = ({ fileExtension, fileName }: IBinaryData) =>
	fileExtension ?? fileName?.split('.').at(-1) ?? 'bin';

/** A tool's items stay with its own run. */
const itemsOf = ({ data }: ITaskData) => (data?.main ?? data?.ai_tool)?.[0] ?? [];

/** Whether a node of ours reads jobs that are there, instead of asking for one. */
const onlyReads = ({ type, parameters }: INode) =>
	type.endsWith('Trigger') || /^(get|wait)/.test(String(parameters.operation));

/**
 * Seconds from the start of the node that asked for a job to the end of a node's run that has its
 * file; nothing where another workflow has asked for it.
 */
function secondsOf(
	{ data, workflowData }: Pick<Execution, 'data' | 'workflowData'>,
	node: string,
	run: ITaskData,
	job: unknown,
): number | undefined {
	const asking = workflowData.nodes.filter((one) => isOurs(one) && !onlyReads(one));
	const runs = asking.flatMap(({ name }) => data.resultData.runData[name] ?? []);
	const asked = asking.some(({ name }) => name === node)
		? run
		: runs.find((one) => itemsOf(one).some(({ json }) => json.id === job));
	return asked && (run.startTime + run.executionTime - asked.startTime) / 1000;
}

/** More than these say nothing more to a person. */
const MOST_ITEMS = 10;

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** A field in words, a list with an entry to a line. */
function fieldLines([name, value]: [string, unknown]): string[] {
	const called = name.replaceAll('_', ' ');
	if (!Array.isArray(value)) return [`${called}: ${textOf(value)}`];
	if (value.length === 0) return [`${called}: none`];
	return [`${called}:`, ...value.map((one) => `  ${textOf(one)}`)];
}

/** What the node that an execution ended with has to say: a text of its items, or else what they hold. */
function findingsOf({ data }: Pick<Execution, 'data'>): string[] {
	const { lastNodeExecuted = '', runData } = data.resultData;
	const run = runData[lastNodeExecuted]?.at(-1);
	const items = (run?.data?.main ?? []).flatMap((output) => output ?? []);
	if (items.length === 0) return [`"${lastNodeExecuted}" found nothing.`];
	const lines = items.slice(0, MOST_ITEMS).flatMap(({ json }) => {
		if (typeof json.text === 'string') return json.text.split('\n');
		if (typeof json.html === 'string') return ['A page: open the node in the editor to see it.'];
		return items.length > 1 ? [JSON.stringify(json)] : Object.entries(json).flatMap(fieldLines);
	});
	if (items.length > MOST_ITEMS) lines.push(`… and ${items.length - MOST_ITEMS} more`);
	return [`${lastNodeExecuted}:`, ...lines.map((line) => (line ? `  ${line}` : line))];
}

/** @throws LabError with the node's own words when an execution has failed */
function requireSuccess({ status, data }: Execution): void {
	if (status === 'success') return;
	const { error, lastNodeExecuted } = data.resultData;
	const reason = [error?.message, error?.description].filter(Boolean).join(' — ');
	throw new LabError(`"${lastNodeExecuted}" failed: ${reason || status}`);
}

/**
 * What n8n's Wait node is set to says more than an execution that seems to hang; a person is not waited for
 * by the clock.
 */
function waitOf({ status, waitTill, data }: Execution): string | undefined {
	const seconds = Math.round((Date.parse(waitTill ?? '') - Date.now()) / 1000);
	if (status !== 'waiting' || !(seconds < 86_400)) return undefined;
	return `"${data.resultData.lastNodeExecuted}" is n8n's Wait node: the execution rests for ${Math.max(0, seconds)} s.`;
}

/**
 * Follows executions of an example: writes what they make to a folder and prints a row for each file as it
 * comes.
 */
export class ExampleRun {
	/** What the last execution has found. */
	private findings: string[] = [];
	private readonly makers: string[];
	/** Files so far, by the node that made them. */
	private readonly files: Record<string, number> = {};
	private rows = 0;

	/** @param readCredits called after each node, when its credits are settled */
	constructor(
		private readonly rest: Rest,
		private readonly workflow: SavedWorkflow,
		private readonly readCredits: () => Promise<CreditsOf>,
		private readonly log: Log,
		/** Where the files go. */
		private readonly folder: string,
	) {
		this.makers = workflow.nodes.filter(isOurs).map(({ name }) => name);
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
		const before = this.rows;
		let waitsTill: string | null = null;
		const ended = async () => {
			const current = await this.rest.executions.get(id);
			// Nothing is saved before the first node has ended.
			const results = (current.data as Execution['data'] | undefined)?.resultData.runData ?? {};
			for (const name of this.makers) {
				for (const run of (results[name] ?? []).slice(runs[name])) {
					runs[name] = (runs[name] ?? 0) + 1;
					await this.write(current, name, run);
				}
			}
			const waits = current.waitTill !== waitsTill && waitOf(current);
			if (waits) this.log(waits);
			waitsTill = current.waitTill;
			return (finalStatuses.includes(current.status) || isOver?.(current)) && current;
		};
		const execution = await until(ended, { timeoutMs: longestMs, everyMs: 250 });
		if (!execution) throw new LabError(`Execution ${id} is still running`);
		const hasMade = this.rows > before;
		if (hasMade) this.log('');
		const isSummary = execution.data.resultData.lastNodeExecuted?.includes('Summary');
		this.findings = hasMade && !isSummary ? [] : findingsOf(execution);
		if (!isOver?.(execution)) requireSuccess(execution);
	}

	/** Prints what was found where no file was made, or a summary. */
	conclude(): void {
		if (this.findings.length === 0) return;
		if (this.rows === 0) this.log('');
		for (const line of [...this.findings, '']) this.log(line);
	}

	/** Writes every file that a run of a node has output. */
	private async write(execution: Execution, node: string, run: ITaskData): Promise<void> {
		const items = itemsOf(run).filter(({ binary }) => binary);
		if (items.length === 0) return;
		mkdirSync(this.folder, { recursive: true });
		const creditsOf = await this.readCredits();
		let paid: unknown;
		for (const { json, binary = {} } of items) {
			const job = json.resourceId ?? json.id;
			const seconds = secondsOf(execution, node, run, job);
			for (const file of Object.values(binary)) {
				const content = await this.rest.download(file);
				const count = (this.files[node] ?? 0) + 1;
				this.files[node] = count;
				const name = `${stemOf(node)}${count > 1 ? `-${count}` : ''}.${extensionOf(file)}`;
				writeFileSync(path.join(this.folder, name), content);
				// Several files of one job were paid for once.
				const credits =
					paid === job ? '' : creditsOf(job, json.estimated_credits, seconds !== undefined);
				const where = `${shown(this.folder)}/${name}`;
				this.row(node, where, readable(content.length), seconds?.toFixed(1) ?? '', credits);
				paid = job;
			}
		}
	}

	/** Prints a row of the table, its head before the first. */
	private row(...cells: string[]): void {
		const longest = (texts: string[]) => Math.max(4, ...texts.map(({ length }) => length));
		// Up to 99 files of a node, with an ending of five characters, as `.webp` has.
		const files = this.makers.map((node) => `${shown(this.folder)}/${stemOf(node)}-99.webp`);
		const widths = [longest(this.makers), longest(files), 7, 7, 7];
		const print = (texts: string[]) => {
			const padded = texts.map((text, column) =>
				column < 2 ? text.padEnd(widths[column]!) : text.padStart(widths[column]!),
			);
			this.log(padded.join('  ').trimEnd());
		};
		if (this.rows === 0) {
			this.log('');
			print(['Kind', 'File', 'Size', 'Seconds', 'Credits']);
			print(widths.map((width) => '─'.repeat(width)));
		}
		this.rows += 1;
		print(cells);
	}
}
