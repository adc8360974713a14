import type { SavedWorkflow } from '../../lab/n8n/rest';
import { seeded } from '../../testing/random';
import { shuffle } from '../../testing/shuffle';
import { signedHeaders } from './support/signed';
import { TriggerInstance } from './support/triggerInstance';
import { until } from './support/until';

jest.setTimeout(900_000);

let instance: TriggerInstance;
let workflow: SavedWorkflow;
let secret: string;

beforeAll(async () => {
	instance = await TriggerInstance.start({ N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' });
	workflow = await instance.ourTrigger({ events: ['generation.completed'] });
	await instance.rest.workflows.publish(workflow);
	secret = instance.registered(instance.urlOf(workflow))[0]?.secret ?? '';
});

afterAll(async () => await instance?.stop());

/** The status of a delivery; 0 where n8n is not there, which the front answers with 502. */
async function deliver(id: string): Promise<number> {
	const body = JSON.stringify({
		id,
		type: 'generation.completed',
		data: { object: { id: `gen_${id}` } },
	});
	const headers = signedHeaders(secret, body);
	const answer = await instance
		.call(instance.urlOf(workflow), { headers }, body)
		.catch(() => undefined);
	return answer?.status ?? 0;
}

/** How often each event has started the workflow. */
function starts(): Map<string, number> {
	const counts = new Map<string, number>();
	for (const { eventId } of instance.of(workflow)) {
		counts.set(String(eventId), (counts.get(String(eventId)) ?? 0) + 1);
	}
	return counts;
}

async function restart(): Promise<void> {
	await instance.crash();
	await instance.up();
}

test('what was started before n8n was killed is not started again by its repeats', async () => {
	const ids = Array.from({ length: 20 }, (_, each) => `before_${each}`);
	for (const id of ids) expect(await deliver(id)).toBe(200);
	expect(await instance.items(workflow, ids.length)).toHaveLength(ids.length);
	await restart();
	for (const id of ids) expect(await deliver(id)).toBe(200);
	expect(await deliver('after')).toBe(200);
	await until(() => starts().has('after'));
	expect(await instance.items(workflow, ids.length + 2, 5_000)).toHaveLength(ids.length + 1);
	expect([...starts().values()].every((count) => count === 1)).toBe(true);
});

test('of 300 events with 1 to 5 deliveries, shuffled and at once, with n8n killed twice, none starts twice, and only what n8n was at is lost', async () => {
	const before = new Set(starts().keys());
	const random = seeded(20_261_121);
	const all = shuffle(
		Array.from({ length: 300 }, (_, each) =>
			Array<string>(1 + (each % 5)).fill(`stream_${each}`),
		).flat(),
	);
	const total = all.length;
	let restarting: Promise<void> | undefined;
	let killed = 0;
	let refused = 0;
	/** As the service does: what is not answered 2xx is sent again. */
	const worker = async () => {
		for (let next = all.pop(); next !== undefined; next = all.pop()) {
			const done = 1 - all.length / total;
			if (killed < 2 && done > (killed + 1) / 3) {
				killed += 1;
				restarting = restart();
			}
			const status = await deliver(next);
			if (status === 200) continue;
			refused += 1;
			if (refused > total) throw new Error(`n8n takes nothing any more: ${status}`);
			all.splice(Math.floor(random() * all.length), 0, next);
			await restarting;
		}
	};
	await Promise.all(Array.from({ length: 8 }, worker));
	expect(killed).toBe(2);
	await until(() => starts().size - before.size === 300, 10_000);
	const counts = [...starts()].filter(([id]) => !before.has(id));
	expect(counts.filter(([, count]) => count > 1)).toEqual([]);
	// What n8n has answered and was still at when it was killed it shows as crashed; nobody sends it
	// again.
	const crashed = await instance.rest.executions.list(workflow.id, ['crashed']);
	expect(300 - counts.length).toBeLessThanOrEqual(crashed.length);
});
