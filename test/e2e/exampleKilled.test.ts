/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { saveCredential } from '../../lab/n8n/credential';
import { demoOwner, startInstance } from '../../lab/n8n/instance';
import { Rest } from '../../lab/n8n/rest';
import { startN8n, temporaryUserFolder, type N8n } from '../../lab/n8n/start';
import { seeded } from '../../testing/random';
import { exampleOf } from './support/examples';
import { baseUrl, keys, sandbox } from './support/harness';
import { sniff } from './support/media';

/** The whole proof is 200 prompts and 50 kills: `MEDIAGEN_PROMPTS=200 MEDIAGEN_KILLS=50`. */
const PROMPTS = Number(process.env.MEDIAGEN_PROMPTS ?? 15);
const KILLS = Number(process.env.MEDIAGEN_KILLS ?? 1);
const SEED = Number(process.env.TEST_SEED ?? 1);

/** A run takes about as long, so that a kill may hit any moment of one. */
const RUN_MS = 3_000;

const userFolder = temporaryUserFolder();
let n8n: N8n;
let rest: Rest;

beforeAll(async () => ({ n8n, rest } = await startInstance({ userFolder })), 300_000);

afterAll(async () => {
	await n8n?.kill();
	rmSync(userFolder, { recursive: true, force: true, maxRetries: 3 });
});

/** Of two workspaces, so that neither takes the slots of the other. */
const BATCHES = [
	{ number: '8', table: 'mediagen prompts', file: 'prompt', own: keys.full },
	{ number: '8b', table: 'mediagen csv prompts', file: 'csv-prompt', own: keys.otherWorkspace },
];

/** Makes the table of an example and puts the prompts into it. */
async function prepare({ number, table, own, ...batch }: (typeof BATCHES)[number]) {
	const credential = await saveCredential(rest, `killed ${number}`, { apiKey: own.key, baseUrl });
	const { id } = await rest.workflows.create(exampleOf(number, credential, n8n.filesFolder));
	await rest.executions.wait(await rest.workflows.run(id, 'Every Night'));
	await rest.tables.insert(
		table,
		Array.from({ length: PROMPTS }, (_, row) => ({ prompt: `A boat, number ${row}` })),
	);
	const charges = async () =>
		(await sandbox.ledger(own.workspace)).lines.filter(({ movement }) => movement === 'reserve')
			.length;
	return { id, table, charges, inTheMiddle: 0, ...batch };
}

it('8 and 8b: batches whose n8n is killed again and again pay for each prompt once and store each file', async () => {
	const random = seeded(SEED);
	await sandbox.reset();
	await sandbox.settings({ clockScale: 1, jobSeconds: { image: 2 } });
	const batches = await Promise.all(BATCHES.map(prepare));
	for (let kill = 0; kill < KILLS; kill += 1) {
		const begun = batches.map(async ({ id, charges }) => {
			await rest.workflows.run(id, 'Every Night');
			const left = PROMPTS - (await charges());
			// Once there is something to lose.
			while (left > 0 && PROMPTS - (await charges()) === left) await sleep(50);
		});
		await Promise.all(begun);
		await sleep(random() * RUN_MS);
		await n8n.kill();
		for (const batch of batches) if ((await batch.charges()) < PROMPTS) batch.inTheMiddle += 1;
		n8n = await startN8n({ userFolder });
		rest = await Rest.signIn(n8n.baseUrl, demoOwner);
	}
	const ended = batches.map(async ({ id, table, file: name, charges, inTheMiddle }) => {
		const last = await rest.executions.wait(await rest.workflows.run(id, 'Every Night'), {
			timeoutMs: 900_000,
		});
		expect(last.status).toBe('success');

		expect(inTheMiddle).toBeGreaterThan(0);
		expect(await charges()).toBe(PROMPTS);
		for (let row = 1; row <= PROMPTS; row += 1) {
			const file = `${n8n.filesFolder}/${name}-${row}.png`;
			expect(existsSync(file)).toBe(true);
			expect(sniff(readFileSync(file))).toBe('image/png');
		}
		const rows = await rest.tables.rows(table);
		expect(rows.map(({ status }) => status)).toEqual(Array(PROMPTS).fill('done'));
	});
	await Promise.all(ended);
}, 3_600_000);
