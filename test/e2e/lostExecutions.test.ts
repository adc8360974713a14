/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { credentialData } from '../../lab/n8n/credential';
import type { SettingsInput } from '../../sandbox/settings';
import { refusal } from './support/front';
import { rest } from './support/harness';
import { ownSandbox } from './support/ownSandbox';
import { until } from './support/until';
import { travel, WAYS, type Plan, type Way } from './support/ways';
import {
	expectAll,
	imageOf,
	passAll,
	REFUSED,
	refuseOne,
	ROWS,
	worldOf,
	type World,
} from './support/world';

const show = (name: string, what: unknown) =>
	appendFileSync('/tmp/lost.log', `${name}: ${JSON.stringify(what, null, 1)}\n`);

const EVERY_WAY = Object.keys(WAYS) as Way[];

const PIXEL = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	'base64',
);

/** Another picture for each: viewers do not mind what stands behind the end of it. */
const WITH_PICTURES = ROWS.map((row) => ({
	...row,
	picture: Buffer.concat([PIXEL, Buffer.from(row.p)]).toString('base64'),
}));

/** An execution that n8n has not kept the result of, and what its user does about it. */
interface Loss {
	what: string;
	ways: Way[];
	plan?: Partial<Plan>;
	settings?: SettingsInput;
	/** @returns id of the execution that was lost */
	lose(world: World): Promise<string>;
	/** What the user changes before going on. */
	mend?(world: World): Promise<unknown>;
	/** What happens at the service while the user goes on. */
	meanwhile?(world: World): Promise<unknown>;
}

async function loseToRefusal(world: World): Promise<string> {
	refuseOne(world);
	const execution = await world.journey.begin();
	const { status } = await world.journey.ended(execution);
	expect(status).toBe('error');
	return execution;
}

/** Two are made, and then the key is no longer one. */
async function loseToRevocation({ front, journey, access }: World): Promise<string> {
	let made = 0;
	front.rule(async ({ isCreation, apiKey }, pass) => {
		if (apiKey === access.apiKey && made >= 2) return refusal(401, 'Unknown key');
		if (isCreation) made += 1;
		return await pass();
	});
	const execution = await journey.begin();
	const { status } = await journey.ended(execution);
	expect(status).toBe('error');
	return execution;
}

/** Lets go of the requests that a front holds up. */
const releases = new WeakMap<World, () => void>();

/** Every other request is carried out, but not answered; the rest is carried out once they are let go of. */
async function stopWithRequestsOut(world: World): Promise<string> {
	const { front, journey, charged, atOnce } = world;
	const released = new Promise<void>((release) => releases.set(world, release));
	let held = 0;
	front.rule(async ({ isCreation }, pass) => {
		if (!isCreation || held >= atOnce) return await pass();
		held += 1;
		const isCarriedOut = held % 2 === 1;
		const reply = isCarriedOut ? await pass() : undefined;
		await released;
		return reply ?? (await pass());
	});
	const execution = await journey.begin();
	const isOut = async () => held === atOnce && (await charged()).length === Math.ceil(atOnce / 2);
	await until(isOut);
	await journey.stop(execution);
	return execution;
}

async function stopWithJobsRunning(world: World): Promise<string> {
	const { sandbox, journey, charged, atOnce } = world;
	const execution = await journey.begin();
	await until(async () => (await charged()).length === atOnce);
	await until(async () => (await sandbox.requests()).some(({ method }) => method === 'GET'));
	await journey.stop(execution);
	return execution;
}

const passAgain = async (world: World) => passAll(world);

const LOSSES: Loss[] = [
	{ what: 'one row was refused', ways: EVERY_WAY, lose: loseToRefusal, mend: passAgain },
	{
		what: 'one row was refused, all have files of a node before',
		ways: EVERY_WAY,
		plan: {
			rows: WITH_PICTURES,
			parameters: imageOf({ input: { reference_images: 'binary:photo' } }),
		},
		lose: loseToRefusal,
		mend: passAgain,
	},
	{
		what: 'one row was refused, and the base URL is spelled in another way since',
		ways: EVERY_WAY,
		lose: loseToRefusal,
		async mend(world) {
			passAll(world);
			const baseUrl = world.access.baseUrl.replace('127.0.0.1', 'localhost');
			await world.changeAccess({ baseUrl });
		},
	},
	{
		what: 'the key was revoked, and the credential has another one of the workspace since',
		ways: EVERY_WAY,
		lose: loseToRevocation,
		mend: async ({ addKey, changeAccess }) => await changeAccess({ apiKey: await addKey() }),
	},
	{
		what: 'it was stopped while requests were out',
		ways: EVERY_WAY,
		lose: stopWithRequestsOut,
		async meanwhile(world) {
			await sleep(3_000);
			releases.get(world)?.();
		},
	},
	{
		what: 'it was stopped while jobs were running',
		ways: EVERY_WAY,
		settings: { jobSeconds: { image: 1_200 } },
		lose: stopWithJobsRunning,
		mend: async ({ sandbox }) => await sandbox.settings({ clockScale: 3_600 }),
	},
];

const CASES = LOSSES.flatMap((loss) =>
	loss.ways.map((way): [string, string, Loss, Way] => [loss.what, WAYS[way], loss, way]),
);

it.concurrent.each(CASES)(
	'%s, %s: the user goes on, and nothing is paid for twice',
	async (what, where, { plan, settings, lose, mend, meanwhile }, way) => {
		const world = await worldOf({ way, ...plan }, settings);
		const { journey, rows, charges } = world;
		const execution = await lose(world);
		const lost = await journey.ended(execution);
		show(`${what} ${where}`, {
			status: lost.status,
			error: lost.error && {
				m: lost.error.message,
				d: lost.error.description,
				c: lost.error.context?.data,
			},
		});
		await mend?.(world);
		const [gone] = await Promise.all([journey.goOn(execution), meanwhile?.(world)]);
		show(`${what} ${where} gone on`, {
			status: gone.status,
			items: gone.items.length,
			error: gone.error && {
				m: gone.error.message,
				d: gone.error.description,
				c: gone.error.context?.data,
			},
			charges: await charges(),
			posts: (await world.creations()).map(({ body, idempotencyKey, status }) =>
				[(body as any).prompt, idempotencyKey?.slice(0, 10), status].join(' '),
			),
		});
		expectAll(gone, rows);
		expect(await charges()).toEqual(rows.map(() => 1));
	},
	300_000,
);

it.concurrent(
	'1,200 rows, one of them refused: the next click in the editor pays for that one alone',
	async () => {
		const rows = Array.from({ length: 1_200 }, (_, index) => ({ p: `row ${index}` }));
		const plenty = { requestsPerMinute: 1_000_000, concurrentJobs: 1_000 };
		const { sandbox, access, credential, charged } = await ownSandbox({
			...plenty,
			initialCredits: 1_000_000,
		});
		await rest.credentials.update(credential, { ...credentialData(access), ...plenty });
		const parameters = imageOf();
		const journey = await travel({ way: 'editor', node: 'mediaGen', parameters, credential, rows });
		await sandbox.setFaults([
			{
				kind: 'status_before',
				status: 400,
				operations: ['createGeneration'],
				skip: rows.length - 1,
				times: 1,
			},
		]);
		const lost = await journey.begin();
		const r = await journey.ended(lost);
		show('1200', {
			m: r.error?.message,
			d: r.error?.description,
			c: JSON.stringify(r.error?.context?.data).slice(0, 600),
		});
		expect(r.status).toBe('error');
		expect(await charged()).toHaveLength(rows.length - 1);

		const gone = await journey.goOn(lost);
		expectAll(gone, rows);
		expect(await charged()).toHaveLength(rows.length);
		expect(new Set(gone.items.map(({ json }) => json.id)).size).toBe(rows.length);
	},
	300_000,
);

it.concurrent(
	'a plan that was made before another brief was refused is output by the next click, whatever its status is called',
	async () => {
		const plan = { operation: 'create', brief: '={{ $json.p }}' };
		const world = await worldOf(
			{ way: 'editor', node: 'mediaGenAgentRun', parameters: plan, rows: ROWS.slice(1, 3) },
			{ agentStatusNames: { plan_proposed: 'drafted' } },
		);
		const { journey, rows, charges } = world;
		const lost = await loseToRefusal(world);
		show('agent', (await journey.ended(lost)).error);
		passAll(world);
		const begun = Date.now();
		const gone = await journey.goOn(lost);
		show('agent gone', gone.error);
		expect(gone.items.map(({ json }) => json.status)).toEqual(['drafted', 'drafted']);
		expect(await charges()).toEqual(rows.map(() => 1));
		// It waits for the user, and nobody waits for it.
		expect(Date.now() - begun).toBeLessThan(60_000);
	},
	180_000,
);

describe('what is an order of its own', () => {
	it.concurrent(
		'in the editor, a row that was refused is taken out: the others are not paid for again',
		async () => {
			const world = await worldOf({ way: 'editor' });
			const { journey, charges } = world;
			const lost = await loseToRefusal(world);
			const left = ROWS.filter(({ p }) => p !== REFUSED);
			await journey.setRows(left);
			expectAll(await journey.goOn(lost), left);
			expect(await charges(left)).toEqual(left.map(() => 1));
		},
		180_000,
	);

	it.concurrent(
		'in the editor, what was output well is made anew by the next click',
		async () => {
			const { journey, rows, charges } = await worldOf({ way: 'editor' });
			const good = await journey.begin();
			expectAll(await journey.ended(good), rows);
			expectAll(await journey.goOn(good), rows);
			expect(await charges()).toEqual(rows.map(() => 2));
		},
		180_000,
	);

	it.concurrent.each<[string, Way]>([
		['of a published workflow', 'production'],
		['of a sub-workflow', 'nested'],
	])(
		'a further execution %s takes nothing of one that has failed',
		async (_, way) => {
			const world = await worldOf({ way });
			const { journey, charges } = world;
			await loseToRefusal(world);
			passAll(world);
			expectAll(await journey.ended(await journey.begin()), ROWS);
			expect(await charges()).toEqual(ROWS.map(({ p }) => (p === REFUSED ? 1 : 2)));
		},
		180_000,
	);
});
