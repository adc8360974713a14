import type { IDataObject } from 'n8n-workflow';
import { FormPages } from '../../lab/n8n/form';
import { runExample, saveExample, type ItemsOf } from './support/examples';
import { keys, n8nUrl, rest, sandbox } from './support/harness';
import { sniff } from './support/media';
import { until } from './support/until';

beforeEach(async () => await sandbox.reset());

const { workspace } = keys.full;
const PRICE = 2;
const TABLE = 'mediagen prompts';
const SUBJECTS = ['A lighthouse', 'A paper boat', 'A fox', 'An old tram', 'A greenhouse', 'A fair'];

async function setCredits(credits: number): Promise<void> {
	const { balance } = await sandbox.ledger(workspace);
	await sandbox.addCredits(workspace, credits - balance.available);
}

const charges = async () =>
	(await sandbox.ledger(workspace)).lines.filter(({ movement }) => movement === 'reserve').length;

const summaryOf = (items: ItemsOf) => items('Summary')[0]?.json;
const statuses = (rows: IDataObject[]) => rows.map(({ status }) => status);

/** Behind the link of a row. */
async function kindOf({ link }: IDataObject): Promise<string | undefined> {
	const answer = await fetch(String(link));
	return sniff(Buffer.from(await answer.arrayBuffer()));
}

/** The summary of a night that had credits for three of seven rows. */
function expectThreeOfSeven(summary: IDataObject | undefined): void {
	expect(summary).toMatchObject({
		made: 3,
		failed: [],
		credits_spent: 3 * PRICE,
		credits_left: '0',
		next_run: 'Makes the 4 rows that are left, if there are credits by then, and what is new',
	});
	const left = summary?.left as string[];
	expect(left).toHaveLength(4);
	for (const reason of left) expect(reason).toMatch(/^Row \d+: .*credits/i);
}

it('8: makes its table, stops without credits, goes on the next night, tells once what can never work, and says so each time', async () => {
	const workflow = await saveExample('8');
	const run = async () => await runExample(workflow, 'Every Night');
	expect(await rest.tables.has(TABLE)).toBe(false);
	const empty = await run();
	expect(await rest.tables.rows(TABLE)).toEqual([]);
	expect(empty('Order Pictures')).toEqual([]);
	expect(summaryOf(empty)).toMatchObject({ made: 0, next_run: 'Makes what is new' });

	const prompts = [...SUBJECTS, 'A well'];
	await rest.tables.insert(
		TABLE,
		prompts.map((prompt) => ({ prompt })),
	);
	await setCredits(3 * PRICE);
	expectThreeOfSeven(summaryOf(await run()));
	const marked = statuses(await rest.tables.rows(TABLE));
	expect(marked.slice(0, 4)).toEqual(['done', 'done', 'done', 'after top-up']);
	// What was not even sent may find credits in the next portion.
	for (const status of marked.slice(4)) expect(['', 'after top-up']).toContain(status);

	await setCredits(1_000);
	await rest.tables.insert(TABLE, [{ prompt: '[fail] A hill' }, { prompt: '' }]);
	expect(summaryOf(await run())).toMatchObject({
		made: 4,
		failed: expect.arrayContaining([
			expect.stringMatching(/^Row 8: The job failed/),
			expect.stringMatching(/^Row 9: Prompt is empty$/),
		]) as string[],
		left: [],
		credits_spent: 4 * PRICE,
		credits_left: String(1_000 - 4 * PRICE),
		next_run: 'Makes what is new',
	});

	const rows = await rest.tables.rows(TABLE);
	const wrong = rows.slice(prompts.length);
	expect(statuses(rows)).toEqual([...prompts.map(() => 'done'), 'failed', 'failed']);
	expect(wrong.map(({ link, credits }) => [link || '', credits])).toEqual(wrong.map(() => ['', 0]));
	for (const row of rows.slice(0, prompts.length)) expect(await kindOf(row)).toBe('image/png');
	expect(summaryOf(await run())).toMatchObject({ made: 0, failed: [], left: [] });
	expect(await charges()).toBe(8);
});

it('8: the table is marked while it runs; stopped, it holds each job that was paid for, and the next run fetches them without asking for them again', async () => {
	const workflow = await saveExample('8');
	await runExample(workflow, 'Every Night');
	const before = (await rest.tables.rows(TABLE)).length;
	const prompts = [...SUBJECTS, 'A well', 'A dune'].map((subject) => `${subject} at noon`);
	await rest.tables.insert(
		TABLE,
		prompts.map((prompt) => ({ prompt })),
	);
	const rows = async () => (await rest.tables.rows(TABLE)).slice(before);
	// As many as the plan runs at a time, so that the next portion waits.
	const PORTION = 5;
	await sandbox.settings({ clockScale: 1, jobSeconds: { image: 300 } });
	const stopped = await rest.workflows.run(workflow.id, 'Every Night');
	await until(
		async () => statuses(await rows()).filter((one) => one === 'ordered').length === PORTION,
	);
	await rest.executions.stop(stopped);
	await rest.executions.wait(stopped);
	const paid = (await rows()).slice(0, PORTION);
	expect(await charges()).toBe(PORTION);
	for (const { job, credits } of paid) {
		expect(job).toMatch(/^gen_/);
		expect(credits).toBe(PRICE);
	}

	await sandbox.settings({ clockScale: 60 });
	const again = await runExample(workflow, 'Every Night');
	expect(again('Order Pictures')).toHaveLength(prompts.length - PORTION);
	expect(summaryOf(again)).toMatchObject({ made: prompts.length, left: [] });
	expect((await rows()).slice(0, PORTION).map(({ job }) => job)).toEqual(
		paid.map(({ job }) => job),
	);
	expect(await charges()).toBe(prompts.length);
});

const CSV_TABLE = 'mediagen csv prompts';

/**
 * As somebody saves it in a spreadsheet: with a byte order mark, and quotes where they are needed.
 *
 * @param says how many of the lines have a prompt of their own, and how many are not made yet
 */
async function upload(lines: string[], says: string): Promise<void> {
	const quoted = lines.map((line) => `"${line.replaceAll('"', '""')}"`);
	const file = new File([`\uFEFF${quoted.join('\n')}\n`], 'prompts.csv', { type: 'text/csv' });
	const form = await FormPages.submit(`${n8nUrl}/form/mediagen-example-prompts`, file);
	await form.shows(says);
	await form.close();
}

/** The first night has credits for three of the seven pictures, the others have enough. */
it('8b: by a CSV file in a form, stops cleanly without credits, continues the next night, creates nothing twice, and says so', async () => {
	const workflow = await saveExample('8b');
	await rest.workflows.publish(workflow);
	const run = async () => await runExample(workflow, 'Every Night');
	try {
		const prompts = [...SUBJECTS, 'A "well", and a bucket'];
		await upload(
			['prompt', ...prompts],
			'7 prompts are in the table, 7 of them to be made tonight',
		);
		await upload(['text', 'A fox'], 'No prompt was found in this file');
		expect(await rest.tables.rows(CSV_TABLE)).toHaveLength(prompts.length);
		expect(await charges()).toBe(0);
		await setCredits(3 * PRICE);
		expectThreeOfSeven(summaryOf(await run()));

		await setCredits(1_000);
		// A line without a prompt, and one that is there twice, come into no table.
		const lines = ['prompt', ...prompts, '', '  ', '[fail] A hill', 'A fox'];
		await upload(lines, '8 prompts are in the table, 5 of them to be made tonight');
		await upload(lines, '8 prompts are in the table, 5 of them to be made tonight');
		expect(summaryOf(await run())).toMatchObject({
			made: 4,
			failed: [expect.stringMatching(/^Row 8: The job failed/)],
			left: [],
			credits_spent: 4 * PRICE,
			credits_left: String(1_000 - 4 * PRICE),
			next_run: 'Makes what is new',
		});
		const rows = await rest.tables.rows(CSV_TABLE);
		expect(rows.map(({ prompt, status }) => [prompt, status])).toEqual([
			...prompts.map((prompt) => [prompt, 'done']),
			['[fail] A hill', 'failed'],
		]);
		for (const row of rows.slice(0, prompts.length)) expect(await kindOf(row)).toBe('image/png');

		const third = await run();
		expect(third('Order Pictures')).toEqual([]);
		expect(await charges()).toBe(8);
	} finally {
		await rest.workflows.unpublish(workflow.id);
	}
});
