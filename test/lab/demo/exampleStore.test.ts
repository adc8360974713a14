/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SavedWorkflow, WorkflowData } from '../../../lab/n8n/rest';
import { ExampleStore, type WorkflowStore } from '../../../lab/demo/exampleStore';

/**
 * n8n's workflows as far as the store sees them: it fills in settings, and versions every change.
 */
class FakeN8n implements WorkflowStore {
	readonly saved = new Map<string, SavedWorkflow>();
	writes = 0;

	async create(data: WorkflowData): Promise<SavedWorkflow> {
		return this.put(String(this.saved.size + 1), data);
	}

	async update(id: string, data: WorkflowData): Promise<SavedWorkflow> {
		return this.put(id, data);
	}

	async get(id: string): Promise<SavedWorkflow> {
		return structuredClone(this.saved.get(id)!);
	}

	async list() {
		return [...this.saved.values()].map(({ id, name }) => ({ id, name }));
	}

	private put(id: string, data: WorkflowData): SavedWorkflow {
		this.writes += 1;
		const settings = { executionOrder: 'v1' as const, ...data.settings };
		const whole = { ...structuredClone(data), id, versionId: `v${this.writes}`, active: false };
		this.saved.set(id, { ...whole, settings });
		return whole;
	}
}

const example = (prompt: string): WorkflowData => ({
	name: 'Example',
	nodes: [
		{ id: 'a', name: 'Image', type: 'x', typeVersion: 1, position: [0, 0], parameters: { prompt } },
	],
	connections: {},
});

let folder: string;
let n8n: FakeN8n;
/** As the next start makes it. */
const store = () => new ExampleStore(n8n, path.join(folder, 'examples.json'));

beforeEach(() => {
	folder = mkdtempSync(path.join(tmpdir(), 'mediagen-examples-'));
	n8n = new FakeN8n();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const promptOf = (id: string) => n8n.saved.get(id)?.nodes[0]?.parameters.prompt;

test('an example is created once, and a newer one replaces it', async () => {
	const first = await store().save(example('a fox'));
	expect(first).toMatchObject({ changed: false, workflow: { id: '1' } });
	expect(await store().save(example('a fox'))).toEqual(first);
	expect(n8n.writes).toBe(1);
	expect(await store().save(example('a hare'))).toMatchObject({ changed: false });
	expect([promptOf('1'), n8n.saved.size]).toEqual(['a hare', 1]);
});

test.each<[string, (workflow: SavedWorkflow) => void]>([
	['a parameter', ({ nodes }) => Object.assign(nodes[0]!.parameters, { prompt: 'mine' })],
	['the settings', (workflow) => Object.assign(workflow, { settings: { timezone: 'UTC' } })],
])('%s that was changed in the editor stays, also when the example is newer', async (_, change) => {
	await store().save(example('a fox'));
	change(n8n.saved.get('1')!);
	const mine = structuredClone(n8n.saved.get('1'));
	for (const prompt of ['a fox', 'a hare']) {
		expect(await store().save(example(prompt))).toMatchObject({ changed: true });
	}
	expect(n8n.saved.get('1')).toEqual(mine);
	expect(n8n.writes).toBe(1);
});

test('an unrelated workflow of that name is left alone', async () => {
	await n8n.create(example('of an earlier folder'));
	expect(await store().save(example('a fox'))).toMatchObject({ changed: true });
	expect(promptOf('1')).toBe('of an earlier folder');
});

test('one that was deleted or archived comes back only where it is needed', async () => {
	await store().save(example('a fox'));
	n8n.saved.get('1')!.isArchived = true;
	expect(await store().save(example('a fox'))).toBeUndefined();
	expect(await store().save(example('a fox'), true)).toMatchObject({ workflow: { id: '2' } });
	n8n.saved.delete('2');
	expect(await store().save(example('a fox'))).toBeUndefined();
});
