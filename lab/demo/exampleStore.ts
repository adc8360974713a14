/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- not published */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { RestError, type Rest, type SavedWorkflow, type WorkflowData } from '../n8n/rest';

/** What was saved in n8n for an example, to detect later changes. */
interface Entry {
	id: string;
	/** Hash of the example that was saved. */
	example: string;
	/** Hash of what n8n has made of it. */
	saved: string;
}

/** The part of n8n's interface that the store uses. */
export type WorkflowStore = Pick<Rest['workflows'], 'create' | 'update' | 'get' | 'list'>;

/** An example as it is in n8n now. */
export interface StoredExample {
	workflow: SavedWorkflow;
	/** Whether the user has changed it in the editor. */
	changed: boolean;
}

/** Saves examples in n8n and updates them, but never overwrites the user's changes. */
export class ExampleStore {
	private readonly entries: Record<string, Entry>;

	/** @param file remembers what was saved; belongs to one n8n database */
	constructor(
		private readonly workflows: WorkflowStore,
		private readonly file: string,
	) {
		this.entries = readEntries(file);
	}

	/**
	 * Saves an example if it is new, or newer than the saved one.
	 *
	 * @param needed whether to save it again if the user has deleted it
	 * @returns undefined if the user has deleted it
	 */
	async save(example: WorkflowData, needed = false): Promise<StoredExample | undefined> {
		const entry = this.entries[example.name] ?? (await this.adopt(example.name));
		const current = entry && (await this.find(entry.id));
		if (!current) {
			if (entry && !needed) return undefined;
			const created = await this.workflows.create(example);
			return { workflow: await this.remember(example, created.id), changed: false };
		}
		if (contentHash(current) !== entry.saved) return { workflow: current, changed: true };
		if (hash(example) === entry.example) return { workflow: current, changed: false };
		await this.workflows.update(entry.id, example);
		return { workflow: await this.remember(example, entry.id), changed: false };
	}

	/** One of that name which is not remembered may be anybody's: it counts as changed. */
	private async adopt(name: string): Promise<Entry | undefined> {
		const known = (await this.workflows.list()).find((workflow) => workflow.name === name);
		return known && { id: known.id, example: '', saved: '' };
	}

	private async find(id: string): Promise<SavedWorkflow | undefined> {
		try {
			const workflow = await this.workflows.get(id);
			return workflow.isArchived ? undefined : workflow;
		} catch (error) {
			if (error instanceof RestError && error.status === 404) return undefined;
			throw error;
		}
	}

	private async remember(example: WorkflowData, id: string): Promise<SavedWorkflow> {
		// As n8n gives it later, defaults filled in.
		const workflow = await this.workflows.get(id);
		this.entries[example.name] = { id, example: hash(example), saved: contentHash(workflow) };
		writeFileSync(this.file, JSON.stringify(this.entries, null, '\t'));
		return workflow;
	}
}

/** What a person can change in the editor; n8n itself changes the rest (versions, counters). */
function contentHash({ name, nodes, connections, settings }: WorkflowData): string {
	return hash({ name, nodes, connections, settings });
}

function hash(value: unknown): string {
	return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

function readEntries(file: string): Record<string, Entry> {
	try {
		return JSON.parse(readFileSync(file, 'utf8')) as Record<string, Entry>;
	} catch {
		return {};
	}
}
