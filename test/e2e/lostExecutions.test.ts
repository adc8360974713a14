/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { setTimeout as sleep } from 'node:timers/promises';
import { credentialData } from '../../lab/n8n/credential';
import type { SettingsInput } from '../../sandbox/settings';
import { refusal } from './support/front';
import { rest } from './support/harness';
import { ownSandbox } from './support/ownSandbox';
import { until } from './support/until';
import { travel, WAYS, type Way } from './support/ways';
import {
	BEHIND,
	expectAll,
	imageOf,
	passAll,
	REFUSED,
	refuseOne,
	ROWS,
	worldOf,
	type World,
	type WorldPlan,
} from './support/world';

const EVERY_WAY = Object.keys(WAYS) as Way[];

/** How the error of a run, of which some items have a job, says to go on. */
const ADVICE: Record<Exclude<Way, 'loop'>, RegExp> = {
	editor: /execute the node again/,
	production: /retry this execution/,
	nested: /retry the execution of this sub-workflow/,
};

const PATIENCE_MS = 60_000;

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
	/** Two of them are tried in every way that they can happen in, the others in one. */
	ways: Way[];
	plan?: Omit<WorldPlan, 'way'>;
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
	await until(async () => held === atOnce, PATIENCE_MS);
	const carriedOut = Math.ceil(atOnce / 2);
	await until(async () => (await charged()).length === carriedOut, PATIENCE_MS);
	expect(await charged()).toHaveLength(carriedOut);
	await journey.stop(execution);
	return execution;
}

async function stopWithJobsRunning(world: World): Promise<string> {
	const { sandbox, journey, charged, atOnce } = world;
	const execution = await journey.begin();
	const isRead = async () => (await sandbox.requests()).some(({ method }) => method === 'GET');
	await until(isRead, PATIENCE_MS);
	expect(await charged()).toHaveLength(atOnce);
	await journey.stop(execution);
	return execution;
}

async function stopInNextNode({ front, journey, charges, rows }: World): Promise<string> {
	let isCalled = false;
	front.rule(async ({ path }, pass) => {
		if (path !== BEHIND) return await pass();
		isCalled = true;
		await sleep(10_000);
		return { status: 200 };
	});
	const execution = await journey.begin();
	await until(() => isCalled, PATIENCE_MS);
	expect(await charges()).toEqual(rows.map(() => 1));
	await journey.stop(execution);
	return execution;
}

const passAgain = async (world: World) => passAll(world);

const LOSSES: Loss[] = [
	{ what: 'one row was refused', ways: EVERY_WAY, lose: loseToRefusal, mend: passAgain },
	{
		what: 'one row was refused, all have files of a node before',
		ways: ['loop'],
		plan: {
			rows: WITH_PICTURES,
			parameters: imageOf({ input: { reference_images: 'binary:photo' } }),
		},
		lose: loseToRefusal,
		mend: passAgain,
	},
	{
		what: 'one row was refused, and the base URL is spelled in another way since',
		ways: ['editor'],
		lose: loseToRefusal,
		async mend(world) {
			passAll(world);
			const baseUrl = world.access.baseUrl.replace('127.0.0.1', 'localhost');
			await world.changeAccess({ baseUrl });
		},
	},
	{
		what: 'the key was revoked, and the credential has another one of the workspace since',
		ways: ['editor'],
		lose: loseToRevocation,
		mend: async ({ addKey, changeAccess }) => await changeAccess({ apiKey: await addKey() }),
	},
	{
		what: 'it was stopped while requests were out',
		// A sub-workflow goes on when the execution that called it is stopped.
		ways: EVERY_WAY.filter((way) => way !== 'nested'),
		lose: stopWithRequestsOut,
		async meanwhile(world) {
			await sleep(3_000);
			releases.get(world)?.();
		},
	},
	{
		what: 'it was stopped while jobs were running',
		ways: ['loop'],
		settings: { jobSeconds: { image: 12_000 } },
		lose: stopWithJobsRunning,
		mend: async ({ sandbox }) => await sandbox.settings({ clockScale: 3_600 }),
	},
	{
		what: 'it was stopped while the next node worked on the media',
		ways: ['production'],
		plan: { isFollowed: true },
		lose: stopInNextNode,
	},
];

const CASES = LOSSES.flatMap((loss) =>
	loss.ways.map((way): [string, string, Loss, Way] => [loss.what, WAYS[way], loss, way]),
);

it.concurrent.each(CASES)(
	'%s, %s: the user goes on, and nothing is paid for twice',
	async (_what, _where, { plan, settings, lose, mend, meanwhile }, way) => {
		const world = await worldOf({ way, ...plan }, settings);
		const { journey, rows, charges } = world;
		const execution = await lose(world);
		const lost = await journey.ended(execution);
		const isStopped = lost.status === 'canceled';
		// A round of a loop knows nothing of those before it.
		if (!isStopped && way !== 'loop') expect(lost.error?.description).toMatch(ADVICE[way]);
		await mend?.(world);
		const [gone] = await Promise.all([journey.goOn(execution), meanwhile?.(world)]);
		// n8n keeps the error of a stopped execution in its retry, however well that goes.
		const keepsError = isStopped && way === 'production';
		expect(gone.status).toBe(keepsError ? 'error' : 'success');
		if (keepsError) expect(gone.error?.message).toBe('The execution was cancelled manually');
		expectAll(gone, rows);
		expect(await charges()).toEqual(rows.map(() => 1));
	},
	240_000,
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
		passAll(world);
		const begun = Date.now();
		const gone = await journey.goOn(lost);
		expect(gone.items.map(({ json }) => json.status)).toEqual(['drafted', 'drafted']);
		expect(await charges()).toEqual(rows.map(() => 1));
		// It waits for the user, and nobody waits for it.
		expect(Date.now() - begun).toBeLessThan(60_000);
	},
	180_000,
);

it.concurrent(
	'three agent runs that approve themselves are made one after the other, each paid for once',
	async () => {
		const { front, journey, rows, charges, sandbox } = await worldOf({
			way: 'editor',
			node: 'mediaGenAgentRun',
			parameters: {
				operation: 'create',
				brief: '={{ $json.p }}',
				autoApprove: true,
				downloadOutputs: false,
			},
			rows: ROWS.slice(0, 3),
		});
		// As a workspace of one live run refuses the next.
		const live = new Set<unknown>();
		let refused = 0;
		front.rule(async ({ isCreation, method, path }, pass) => {
			if (isCreation && live.size > 0) {
				refused += 1;
				return refusal(429, 'Another run is live');
			}
			if (isCreation) live.add('new');
			const reply = await pass();
			if (!path.startsWith('/v1/agents/runs')) return reply;
			const { id, status } = JSON.parse(String(reply.body)) as Record<string, unknown>;
			if (isCreation) live.add(id).delete('new');
			if (method === 'GET' && status === 'awaiting_review') live.delete(id);
			return reply;
		});
		const ended = await journey.ended(await journey.begin());
		expect(ended.error).toBeUndefined();
		expect(ended.items.map(({ json }) => json.status)).toEqual(rows.map(() => 'awaiting_review'));
		expect(refused).toBe(0);
		// For each the plan, and its budget.
		expect(await charges()).toEqual(rows.map(() => 2));
		expect(await sandbox.jobs()).toHaveLength(3);
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

// Not beside the others, as it keeps n8n busy.
it('1,200 rows, one of them refused: the next click in the editor pays for that one alone', async () => {
	const rows = Array.from({ length: 1_200 }, (_, index) => ({ p: `row ${index}` }));
	const plenty = { requestsPerMinute: 1_000_000, concurrentJobs: 2_000 };
	const { sandbox, access, credential, charged } = await ownSandbox({
		...plenty,
		initialCredits: 1_000_000,
	});
	await rest.credentials.update(credential, { ...credentialData(access), ...plenty });
	const parameters = imageOf({ waitForCompletion: false });
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
	const { status } = await journey.ended(lost);
	expect(status).toBe('error');
	expect(await charged()).toHaveLength(rows.length - 1);

	const gone = await journey.goOn(lost);
	expect(gone.items.map(({ json }) => json.prompt)).toEqual(rows.map(({ p }) => p));
	expect(await charged()).toHaveLength(rows.length);
	expect(new Set(gone.items.map(({ json }) => json.id)).size).toBe(rows.length);
}, 240_000);
