import type { DeliveryEntity, GenerationEntity, OutputEntity } from '../../sandbox/entities';
import { RequestLog, type RequestEntry } from '../../sandbox/http/exchange';
import type { Service } from '../../sandbox/service';
import { MOST_KEPT, noPersistence, Workspace } from '../../sandbox/store';

test('the last 10,000 requests are kept, fewer where their bodies are large', () => {
	const log = new RequestLog();
	for (let id = 0; id < 25_000; id += 1) log.add({ id: String(id), body: null } as RequestEntry);
	expect([log.list().length, log.list()[0]?.id, log.total]).toEqual([10_000, '15000', 25_000]);
	const body = { prompt: 'x'.repeat(90_000) };
	for (let id = 0; id < 1_000; id += 1) log.add({ body } as RequestEntry);
	expect(log.list().length).toBeLessThan(250);
});

test('the last 5,000 jobs are kept, with what they made, and attempts of a webhook; none that runs is forgotten', () => {
	const service = { persistence: noPersistence } as Partial<Service> as Service;
	const workspace = new Workspace({ id: 'studio', entitled: true, liteCarry: 0 }, service);
	const { generations, outputs } = workspace;
	const attempts = workspace.deliveriesOf('wh_1');
	const add = (index: number, settledAt: number | null) => {
		const about = { id: String(index), createdAt: index + 1 };
		outputs.put(about as OutputEntity);
		generations.put({ ...about, settledAt, outputs: [about.id] } as GenerationEntity);
		attempts.put(about as DeliveryEntity);
	};
	for (let index = 0; index < MOST_KEPT + 3; index += 1) add(index, 1);
	for (const table of [generations, outputs, attempts]) expect(table.all()).toHaveLength(5_000);
	// The total of jobs counts them on.
	expect(workspace.entity.forgottenJobs).toBe(3);
	add(10_000, null);
	for (let index = 10_001; index < 3 * MOST_KEPT; index += 1) add(index, 1);
	expect(generations.get('10000')).toBeDefined();
});
