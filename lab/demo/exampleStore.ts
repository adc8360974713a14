/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Rest, SavedWorkflow, WorkflowData } from '../n8n/rest';

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
		const text = existsSync(file) ? readFileSync(file, 'utf8') : '{}';
		this.entries = JSON.parse(text) as Record<string, Entry>;
	}

	/**
	 * Saves an example if it is new, or newer than the saved one.
	 *
	 * @param needed whether to save it again if the user has deleted it
	 * @returns undefined if the user has deleted it
	 */
	async save(example: WorkflowData, needed = false): Promise<StoredExample | undefined> {
		const entry = this.entries[example.name];
		const known = (await this.workflows.list()).find(({ id, name }) =>
			entry ? id === entry.id : name === example.name,
		);
		const found = known && (await this.workflows.get(known.id));
		const current = found?.isArchived ? undefined : found;
		if (entry && !current && !needed) return undefined;
		// One of that name which is not remembered may be anybody's.
		if (current && hashOf(current) !== entry?.saved) return { workflow: current, changed: true };
		if (current && hash(example) === entry?.example) return { workflow: current, changed: false };
		if (current) await this.workflows.update(current.id, example);
		const { id } = current ?? (await this.workflows.create(example));
		// As n8n gives it later, defaults filled in.
		const workflow = await this.workflows.get(id);
		this.entries[example.name] = { id, example: hash(example), saved: hashOf(workflow) };
		writeFileSync(this.file, JSON.stringify(this.entries, null, '\t'));
		return { workflow, changed: false };
	}
}

/** What a person can change in the editor; n8n itself changes the rest (versions, counters). */
const hashOf = ({ name, nodes, connections, settings }: WorkflowData) =>
	hash({ name, nodes, connections, settings });

const hash = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex');
