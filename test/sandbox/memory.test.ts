import type { DeliveryEntity, GenerationEntity, OutputEntity } from '../../sandbox/entities';
import { RequestLog, type RequestEntry } from '../../sandbox/http/exchange';
import type { Service } from '../../sandbox/service';
import { MOST_KEPT, noPersistence, Workspace } from '../../sandbox/store';

test('the last 10,000 requests are kept, fewer where their bodies are large', () => {
	const log = new RequestLog();
	for (let id = 0; id < 25_000; id += 1) log.add({ id: String(id), body: null } as RequestEntry);
	const kept = log.list();
	expect([kept.length, kept.at(0)?.id, log.total]).toEqual([10_000, '15000', 25_000]);
	const body = { prompt: 'x'.repeat(90_000) };
	for (let id = 0; id < 1_000; id += 1) log.add({ body } as RequestEntry);
	expect(log.list().length).toBeLessThan(250);
});

test('the last 5,000 jobs that have ended are kept, with what they made, and attempts of a webhook', () => {
	const removed: string[] = [];
	const remove = (table: string, id: string) => void removed.push(`${table}/${id}`);
	const service = { persistence: { ...noPersistence, remove } } as Partial<Service> as Service;
	const workspace = new Workspace({ id: 'studio', entitled: true, liteCarry: 0 }, service);
	const attempts = workspace.deliveriesOf('wh_1');
	const add = (index: number, settledAt: number | null) => {
		const about = { id: String(index), createdAt: index + 1 };
		workspace.outputs.put(about as OutputEntity);
		workspace.generations.put({ ...about, settledAt, outputs: [about.id] } as GenerationEntity);
		attempts.put(about as DeliveryEntity);
	};
	for (let index = 0; index < MOST_KEPT + 3; index += 1) add(index, 1);
	for (const table of [workspace.generations, workspace.outputs, attempts])
		expect(table.all()).toHaveLength(5_000);
	expect(removed).toEqual(expect.arrayContaining(['generations/2', 'outputs/2', 'deliveries/2']));
	// One that is still running is never forgotten.
	for (let index = MOST_KEPT + 3; index < 3 * MOST_KEPT; index += 1)
		add(index, index === MOST_KEPT + 3 ? null : 1);
	expect(workspace.generations.get(String(MOST_KEPT + 3))).toBeDefined();
});
