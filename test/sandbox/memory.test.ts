/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync, mkdtempSync, rmSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';

import type { DeliveryEntity, GenerationEntity, OutputEntity } from '../../sandbox/entities';
import { RequestLog, type RequestEntry } from '../../sandbox/http/exchange';
import type { Service } from '../../sandbox/service';
import { Library } from '../../sandbox/storage/library';
import { MOST_KEPT, noPersistence, Workspace } from '../../sandbox/store';
import { until } from '../e2e/support/until';

const request = (id: number, body: unknown = null) => ({ id: String(id), body }) as RequestEntry;

test('of the requests the last 10,000 are kept, and all are counted', () => {
	const log = new RequestLog();
	for (let id = 0; id < 25_000; id += 1) log.add(request(id));
	const kept = log.list();
	expect([kept.length, kept.at(0)?.id, kept.at(-1)?.id]).toEqual([10_000, '15000', '24999']);
	expect(log.total).toBe(25_000);
});

test('fewer are kept where their bodies are large', () => {
	const log = new RequestLog();
	const body = { prompt: 'x'.repeat(90_000) };
	for (let id = 0; id < 1_000; id += 1) log.add(request(id, body));
	expect(log.list().length).toBeGreaterThan(200);
	expect(log.list().length).toBeLessThan(250);
	for (let id = 0; id < 10_000; id += 1) log.add(request(id));
	expect(log.list()).toHaveLength(10_000);
});

/** A job that ended at that time, or is still running, with one output. */
const job = (index: number, settledAt: number | null) =>
	({
		id: `gen_${index}`,
		createdAt: index + 1,
		settledAt,
		outputs: [`out_${index}`],
	}) as GenerationEntity;

const opened = () => {
	const removed: string[] = [];
	const persistence = {
		...noPersistence,
		remove: (table: string, id: string) => void removed.push(`${table}/${id}`),
	};
	const entity = { id: 'studio', entitled: true, liteCarry: 0 };
	return { workspace: new Workspace(entity, { persistence } as Service), removed };
};

test('of the jobs that have ended the last 5,000 are kept, with what they made, on disk too', () => {
	const { workspace, removed } = opened();
	for (let index = 0; index < MOST_KEPT + 3; index += 1) {
		workspace.outputs.put({ id: `out_${index}`, createdAt: index + 1 } as OutputEntity);
		workspace.generations.put(job(index, 1));
	}
	expect(workspace.generations.all()).toHaveLength(MOST_KEPT);
	expect(workspace.outputs.all()).toHaveLength(MOST_KEPT);
	expect(workspace.generations.get('gen_2')).toBeUndefined();
	expect(workspace.generations.get('gen_3')).toBeDefined();
	expect(removed).toContain('generations/gen_0');
	expect(removed).toContain('outputs/out_0');
});

test('a job that is still running is never forgotten', () => {
	const { workspace } = opened();
	for (let index = 0; index < MOST_KEPT + 3; index += 1) {
		workspace.generations.put(job(index, index === 0 ? null : 1));
	}
	expect(workspace.generations.get('gen_0')).toBeDefined();
	expect(workspace.generations.all()).toHaveLength(MOST_KEPT + 3);
});

test('of the deliveries of a webhook the last 5,000 are kept', () => {
	const { workspace } = opened();
	const table = workspace.deliveriesOf('wh_1');
	for (let index = 0; index < MOST_KEPT + 3; index += 1) {
		table.put({ id: `dlv_${index}`, createdAt: index + 1 } as DeliveryEntity);
	}
	expect(table.all()).toHaveLength(MOST_KEPT);
});

test('the last 1,000 drawn files are on disk; an older one is drawn again', async () => {
	const directory = mkdtempSync(join(tmpdir(), 'mediagen-drawn-'));
	let drawn = 0;
	const library = new Library(directory, async () => {
		drawn += 1;
		return { bytes: Buffer.from('x') };
	});
	const draw = async (index: number) =>
		await library.output(`${index}.png`, async () => ({
			kind: 'image',
			prompt: '',
			seed: 1,
			index: 0,
		}));
	const { path } = await draw(0);
	for (let index = 1; index <= 1_000; index += 1) await draw(index);
	await until(() => !existsSync(path));
	await draw(1_000);
	expect(drawn).toBe(1_001);
	await draw(0);
	expect([drawn, existsSync(path)]).toEqual([1_002, true]);
	rmSync(directory, { recursive: true });
});
