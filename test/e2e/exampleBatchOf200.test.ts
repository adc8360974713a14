import { randomUUID } from 'node:crypto';
import { childOf, growth, watchMemory } from '../../bench/n8n/resident';
import { credentialData, credentialType, saveOfType } from '../../lab/n8n/credential';
import type { SavedWorkflow } from '../../lab/n8n/rest';
import { exampleOf, itemsIn, runExample } from './support/examples';
import { n8nGuard, rest } from './support/harness';
import { bytesOf } from './support/media';
import { ownSandbox } from './support/ownSandbox';
import { until } from './support/until';

const TABLE = 'mediagen prompts';
const PRICE = 2;
const ROWS = 200;
const MIB = 1024 * 1024;
/** All of them together are far more than n8n's heap grows by itself. */
const FILE_BYTES = 2 * MIB;

/** What is wrong with a row, by its place; those up to the middle fail before the stop. */
const BAD: Record<number, { prompt: string; problem: RegExp }> = {
	10: { prompt: '', problem: /^Prompt is empty$/ },
	30: { prompt: '[fail] A hill', problem: /^The job failed: / },
	50: { prompt: 'long '.repeat(4_000), problem: /^Prompt has \d+ characters; at most / },
	150: { prompt: '   ', problem: /^Prompt is empty$/ },
	170: { prompt: '[fail] A well', problem: /^The job failed: / },
};
/** One row asks for the same as the one before: both get the picture that was paid for once. */
const TWIN = 80;

const places = Array.from({ length: ROWS }, (_, index) => index + 1);
const promptOf = (place: number) =>
	BAD[place]?.prompt ?? `Poster ${place === TWIN ? TWIN - 1 : place}`;
const bad = Object.keys(BAD).map(Number);
const good = places.filter((place) => !bad.includes(place));

let service: Awaited<ReturnType<typeof ownSandbox>>;
let workflow: SavedWorkflow;

beforeAll(async () => {
	const bytes = bytesOf('image/png', FILE_BYTES);
	// A plan of many jobs at once, so that no portion waits for a slot.
	const limits = { concurrentJobs: 50, requestsPerMinute: 100_000 };
	service = await ownSandbox(limits, async () => await Promise.resolve({ bytes }));
	const data = { ...credentialData(service.access), ...limits };
	const credential = await saveOfType(rest, credentialType, randomUUID(), data);
	workflow = await rest.workflows.create(exampleOf('8', credential));
	await runExample(workflow, 'Every Night');
}, 180_000);

const rows = async () => (await rest.tables.rows(TABLE)).slice(-ROWS);
const jobs = async () =>
	(await service.charged()).map(({ resource }) => resource).filter((id) => id !== undefined);

it('8 with 200 rows: stopped in the middle and run again, each is paid for once, told once, and its file is nowhere in the memory', async () => {
	await rest.tables.insert(
		TABLE,
		places.map((place) => ({ prompt: promptOf(place) })),
	);
	const stopped = await rest.workflows.run(workflow.id, 'Every Night');
	const marked = async () => (await rows()).filter(({ status }) => status).length;
	await until(async () => (await marked()) >= ROWS / 2, 90_000);
	await rest.executions.stop(stopped);
	const atStop = itemsIn(await rest.executions.wait(stopped));
	expect(atStop('Summary')).toEqual([]);
	const paidBefore = await jobs();
	expect(paidBefore.length).toBeGreaterThan(ROWS / 2 - bad.length);
	expect(paidBefore.length).toBeLessThan(ROWS - bad.length);

	const second = await rest.workflows.run(workflow.id, 'Every Night');
	// From the first file on: what the orders took before is another matter.
	await until(async () => (await marked()) === ROWS, 90_000);
	const begun = Date.now();
	const memory = watchMemory(childOf(n8nGuard));
	const again = itemsIn(await rest.executions.wait(second));
	const grown = growth(memory(), begun, Date.now());
	expect(grown).toBeLessThan((good.length * FILE_BYTES) / 2);
	for (const { binary } of again('Fetch Pictures').filter(({ json }) => !json.error))
		expect(binary?.data).toMatchObject({ id: expect.any(String) as string, bytes: FILE_BYTES });

	const table = await rows();
	for (const place of good) expect(table[place - 1]).toMatchObject({ status: 'done', problem: '' });
	for (const place of bad)
		expect(table[place - 1]).toMatchObject({
			status: 'failed',
			credits: 0,
			problem: expect.stringMatching(BAD[place]?.problem ?? '') as string,
		});
	const paid = await jobs();
	expect(paid).toEqual([...new Set(paid)]);
	expect(paid.slice(0, paidBefore.length)).toEqual(paidBefore);
	// The service takes what a failed job costs as well, and gives it back.
	const shown = table.map(({ job }) => job).filter(Boolean);
	expect(new Set(paid)).toEqual(new Set(shown));
	expect(table[TWIN - 1]?.job).toBe(table[TWIN - 2]?.job);

	const failures = again('Summary')[0]?.json.failed as string[];
	expect(failures).toHaveLength(bad.length);
	for (const place of bad)
		expect(
			failures.filter((one) => one.startsWith(`Row ${String(table[place - 1]?.id)}: `)),
		).toHaveLength(1);
	expect(again('Summary')[0]?.json).toMatchObject({
		made: good.length,
		left: [],
		credits_spent: (good.length - 1) * PRICE,
		next_run: 'Makes what is new',
	});

	const third = await runExample(workflow, 'Every Night');
	expect(third('Order Pictures')).toEqual([]);
	expect(third('Summary')[0]?.json).toMatchObject({ made: 0, failed: [], left: [] });
	expect(await jobs()).toEqual(paid);
}, 180_000);
