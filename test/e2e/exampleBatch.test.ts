/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { runExample, saveExample, type ItemsOf } from './support/examples';
import { filesFolder, keys, rest, sandbox } from './support/harness';
import { sniff } from './support/media';

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

/** The summary of a night that had credits for three of seven rows. */
function expectThreeOfSeven(summary: IDataObject | undefined): void {
	expect(summary).toMatchObject({
		made: 3,
		failed: [],
		credits_spent: 3 * PRICE,
		credits_left: '0',
		next_run: 'Makes the 4 rows that are left, and what is new',
	});
	const left = summary?.left as string[];
	expect(left).toHaveLength(4);
	for (const reason of left) expect(reason).toMatch(/^Row \d: .*credits/i);
}

it('8: makes its table, stops without credits, goes on the next night, and says so each time', async () => {
	const workflow = await saveExample('8');
	const run = async () => await runExample(workflow, 'Every Night');
	const summaryOf = (items: ItemsOf) => items('Summary')[0]?.json;
	const filesOf = (items: ItemsOf) => items('Mark Row').map(({ json }) => String(json.file));
	expect(await rest.tables.has(TABLE)).toBe(false);
	const empty = await run();
	expect(await rest.tables.rows(TABLE)).toEqual([]);
	expect(empty('Generate Pictures')).toEqual([]);

	const prompts = [...SUBJECTS, 'A well'];
	await rest.tables.insert(
		TABLE,
		prompts.map((prompt) => ({ prompt })),
	);
	await setCredits(3 * PRICE);
	const first = await run();
	expectThreeOfSeven(summaryOf(first));

	await setCredits(1_000);
	await rest.tables.insert(TABLE, [{ prompt: '[fail] A hill' }, { prompt: '' }]);
	const second = await run();
	expect(summaryOf(second)).toMatchObject({
		made: 4,
		failed: [expect.stringMatching(/^Row 8: The job failed/)],
		left: [expect.stringMatching(/^Row 9: Prompt/)],
		credits_spent: 4 * PRICE,
		credits_left: String(1_000 - 4 * PRICE),
	});

	const rows = await rest.tables.rows(TABLE);
	expect(rows.map(({ status }) => status)).toEqual([...prompts.map(() => 'done'), 'failed', '']);
	const files = [...filesOf(first), ...filesOf(second)].filter((file) => file !== '');
	expect(new Set(files)).toEqual(
		new Set(prompts.map((_, row) => path.join(filesFolder, `prompt-${row + 1}.png`))),
	);
	for (const file of files) expect(sniff(readFileSync(file))).toBe('image/png');
	expect(existsSync(path.join(filesFolder, 'prompt-8.png'))).toBe(false);

	expect(await charges()).toBe(8);
});

const CSV_TABLE = 'mediagen csv prompts';
const stored = (items: ItemsOf) =>
	items('Store File').flatMap(({ json }) => json.fileName ?? []) as string[];

/** As somebody saves it in a spreadsheet: with a byte order mark, and quotes where they are needed. */
const writePrompts = (prompts: string[]) => {
	const lines = prompts.map((prompt) => `"${prompt.replaceAll('"', '""')}"`);
	writeFileSync(path.join(filesFolder, 'prompts.csv'), `\uFEFFprompt\n${lines.join('\n')}\n`);
};

/** The first night has credits for three of the seven pictures, the others have enough. */
it('8b: from a table in a file, stops cleanly without credits, continues the next night, creates nothing twice, and says so', async () => {
	const workflow = await saveExample('8b');
	const run = async () => await runExample(workflow, 'Every Night');
	const summaryOf = (items: ItemsOf) => items('Summary')[0]?.json;
	const prompts = [...SUBJECTS, 'A "well", and a bucket'];
	writePrompts(prompts);
	await setCredits(3 * PRICE);
	const first = await run();
	expect(stored(first)).toHaveLength(3);
	expectThreeOfSeven(summaryOf(first));

	await setCredits(1_000);
	writePrompts([...prompts, '[fail] A hill']);
	const second = await run();
	expect(summaryOf(second)).toMatchObject({
		made: 4,
		failed: [expect.stringMatching(/^Row 8: The job failed/)],
		left: [],
		credits_spent: 4 * PRICE,
		credits_left: String(1_000 - 4 * PRICE),
		next_run: 'Makes what is new',
	});
	const files = [...stored(first), ...stored(second)];
	expect(new Set(files).size).toBe(7);
	for (const file of files) expect(sniff(readFileSync(file))).toBe('image/png');
	expect(path.dirname(files[0] ?? '')).toBe(filesFolder);
	const rows = await rest.tables.rows(CSV_TABLE);
	expect(rows.map(({ prompt, status }) => [prompt, status])).toEqual([
		...prompts.map((prompt) => [prompt, 'done']),
		['[fail] A hill', 'failed'],
	]);

	const third = await run();
	expect(third('Generate Pictures')).toEqual([]);
	expect(await charges()).toBe(8);
});
