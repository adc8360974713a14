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

/** The whole proof is 200 prompts and 50 kills of each batch, some 26 minutes each: `MEDIAGEN_PROMPTS=200 MEDIAGEN_KILLS=50`. */
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

it.each([
	{ number: '8', table: 'mediagen prompts', file: 'prompt' },
	{ number: '8b', table: 'mediagen csv prompts', file: 'csv-prompt' },
])(
	'$number: a batch whose n8n is killed again and again pays for each prompt once and stores each file',
	async ({ number, table, file: name }) => {
		const random = seeded(SEED);
		await sandbox.reset();
		await sandbox.settings({ clockScale: 1, jobSeconds: { image: 2 } });
		const { key, workspace } = keys.full;
		const credential = await saveCredential(rest, 'killed', { apiKey: key, baseUrl });
		const { id } = await rest.workflows.create(exampleOf(number, credential, n8n.filesFolder));
		// Makes the table.
		await rest.executions.wait(await rest.workflows.run(id, 'Every Night'));
		await rest.tables.insert(
			table,
			Array.from({ length: PROMPTS }, (_, row) => ({ prompt: `A boat, number ${row}` })),
		);

		const charges = async () =>
			(await sandbox.ledger(workspace)).lines.filter(({ movement }) => movement === 'reserve')
				.length;
		let inTheMiddle = 0;
		for (let kill = 0; kill < KILLS; kill += 1) {
			await rest.workflows.run(id, 'Every Night');
			const left = PROMPTS - (await charges());
			// Once there is something to lose.
			while (left > 0 && PROMPTS - (await charges()) === left) await sleep(50);
			await sleep(random() * RUN_MS);
			await n8n.kill();
			if ((await charges()) < PROMPTS) inTheMiddle += 1;
			n8n = await startN8n({ userFolder });
			rest = await Rest.signIn(n8n.baseUrl, demoOwner);
		}
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
	},
	3_600_000,
);
