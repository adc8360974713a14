/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { credentialData, saveCredential } from '../../lab/n8n/credential';
import { startFront, refusal, type Front } from './support/front';
import { rest } from './support/harness';
import { createParameters } from './support/media';
import { closing, ownSandbox } from './support/ownSandbox';
import { until } from './support/until';
import { travel, WAYS, type Ended, type Plan, type Row, type Way } from './support/ways';

/** The third is the one that is refused. */
const ROWS: Row[] = [{ p: 'a boat' }, { p: 'a car' }, { p: 'a kite' }, { p: 'a tree' }];
const REFUSED = 'a kite';

const PIXEL =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Trailing bytes make it another picture, and a viewer does not mind. */
const pictureOf = (name: string) =>
	Buffer.concat([Buffer.from(PIXEL, 'base64'), Buffer.from(name)]).toString('base64');

const PICTURES = ROWS.map((row) => ({ ...row, picture: pictureOf(row.p) }));

const show = (name: string, what: unknown) =>
	appendFileSync('/tmp/lost.log', `${name}: ${JSON.stringify(what, null, 1)}\n`);

type World = Awaited<ReturnType<typeof worldOf>>;

/** A workflow, a sandbox, and a front between them. */
async function worldOf(
	plan: Partial<Plan> & Pick<Plan, 'way'>,
	settings: Parameters<typeof ownSandbox>[0] = {},
) {
	const own = await ownSandbox(settings);
	const front = await startFront(own.access.baseUrl);
	closing.push(front.close);
	const access = { ...own.access, baseUrl: front.baseUrl };
	const credential = await saveCredential(rest, randomUUID(), access);
	const rows = plan.rows ?? ROWS;
	const journey = await travel({
		node: 'mediaGen',
		parameters: createParameters({ prompt: '={{ $json.p }}', downloadOutputs: false }),
		credential,
		rows,
		...plan,
	});
	return {
		...own,
		...{ front, access, journey, rows, way: plan.way },
		/** How often each row was charged. */
		async charges(of: readonly Row[] = rows): Promise<number[]> {
			const texts = new Map((await own.sandbox.jobs()).map(({ id, text }) => [id, text]));
			const paid = (await own.charged()).map(({ resource }) => texts.get(resource ?? ''));
			return of.map(({ p }) => paid.filter((text) => text === p).length);
		},
		changeAccess: async (change: Partial<typeof access>) =>
			await rest.credentials.update(credential, credentialData({ ...access, ...change })),
		/** How many creations a run has under way: of a loop the first. */
		atOnce: plan.way === 'loop' ? 1 : rows.length,
	};
}

/** An execution that has not given what it has paid for, and what the user does about it. */
interface Loss {
	what: string;
	ways: Way[];
	rows?: Row[];
	parameters?: Plan['parameters'];
	settings?: Parameters<typeof ownSandbox>[0];
	/** @returns id of the execution that was lost */
	lose(world: World): Promise<string>;
	/** What the user changes before going on. */
	mend?(world: World): Promise<unknown>;
	/** Once gone on. */
	finally?(world: World): void;
}

const refuseOne = ({ front }: { front: Front }) =>
	front.rule(async ({ isCreation, body }, pass) =>
		isCreation && body.prompt === REFUSED ? refusal(400, 'No kites today') : await pass(),
	);

const passAll = ({ front }: { front: Front }) => front.rule(async (_, pass) => await pass());

async function loseRefused(world: World): Promise<string> {
	refuseOne(world);
	return await world.journey.begin();
}

const EVERYWHERE = Object.keys(WAYS) as Way[];
const NOT_NESTED = EVERYWHERE.filter((way) => way !== 'nested');

/** Ends what is held up. */
const releases = new Map<Front, () => void>();

const LOSSES: Loss[] = [
	{
		what: 'one row was refused',
		ways: EVERYWHERE,
		lose: loseRefused,
		mend: async (world) => passAll(world),
	},
	{
		what: 'one row with a file was refused',
		ways: EVERYWHERE,
		rows: PICTURES,
		parameters: createParameters({
			prompt: '={{ $json.p }}',
			downloadOutputs: false,
			input: { reference_images: 'binary:photo' },
		}),
		lose: loseRefused,
		mend: async (world) => passAll(world),
	},
	{
		what: 'one row was refused, and the base URL is spelled in another way',
		ways: NOT_NESTED,
		lose: loseRefused,
		async mend(world) {
			passAll(world);
			const baseUrl = world.access.baseUrl.replace('127.0.0.1', 'localhost');
			await world.changeAccess({ baseUrl });
		},
	},
	{
		what: 'the key was revoked, and the credential has another one of the workspace',
		ways: NOT_NESTED,
		async lose({ front, journey, access }) {
			let made = 0;
			front.rule(async ({ isCreation, apiKey }, pass) => {
				if (apiKey === access.apiKey && made >= 2) return refusal(401, 'Unknown key');
				if (isCreation) made += 1;
				return await pass();
			});
			return await journey.begin();
		},
		mend: async ({ addKey, changeAccess }) => await changeAccess({ apiKey: await addKey() }),
	},
	{
		what: 'it was stopped while requests were out',
		ways: NOT_NESTED,
		async lose({ front, journey, charged, atOnce }) {
			let seen = 0;
			const released = new Promise<void>((release) => releases.set(front, release));
			// Every other one is carried out only once the user has gone on.
			front.rule(async ({ isCreation }, pass) => {
				if (!isCreation || seen >= atOnce) return await pass();
				seen += 1;
				if (seen % 2 === 0) {
					await released;
					return await pass();
				}
				const reply = await pass();
				await released;
				return reply;
			});
			const execution = await journey.begin();
			await until(async () => seen === atOnce && (await charged()).length >= Math.ceil(atOnce / 2));
			await journey.stop(execution);
			return execution;
		},
		finally: ({ front }) => releases.get(front)?.(),
	},
	{
		what: 'it was stopped while jobs were running',
		ways: NOT_NESTED,
		settings: { jobSeconds: { image: 1_200 } },
		async lose({ sandbox, journey, charged, atOnce }) {
			const execution = await journey.begin();
			await until(async () => (await charged()).length >= atOnce);
			const isRead = async () => (await sandbox.requests()).some(({ method }) => method === 'GET');
			await until(isRead);
			await journey.stop(execution);
			return execution;
		},
		mend: async ({ sandbox }) =>
			await sandbox.settings({ jobSeconds: { image: 8 }, clockScale: 600 }),
	},
];

/** How the error says to go on. */
const ADVICE: Record<Way, RegExp> = {
	editor: /execute the node again/,
	loop: /execute the node again/,
	production: /retry this execution/,
	nested: /retry the execution of this sub-workflow/,
};

function expectAll(gone: Ended, rows: readonly Row[]) {
	expect(gone.error).toBeUndefined();
	expect(gone.status).toBe('success');
	expect(gone.items.map(({ json }) => json.prompt)).toEqual(rows.map(({ p }) => p));
	expect(gone.items.map(({ json }) => json.status)).toEqual(rows.map(() => 'completed'));
}

describe('what an execution has paid for and lost is not paid for again', () => {
	const CASES = LOSSES.flatMap((loss) =>
		loss.ways.map((way): [what: string, where: string, loss: Loss, way: Way] => [
			loss.what,
			WAYS[way],
			loss,
			way,
		]),
	);

	it.concurrent.each(CASES)(
		'%s %s',
		async (what, where, loss, way) => {
			const { rows, parameters, settings } = loss;
			const world = await worldOf(
				{ way, ...(rows && { rows }), ...(parameters && { parameters }) },
				settings,
			);
			const execution = await loss.lose(world);
			const lost = await world.journey.ended(execution);
			show(`${what} ${where}`, {
				status: lost.status,
				error: lost.error && {
					m: lost.error.message,
					d: lost.error.description,
					c: lost.error.context?.data,
				},
			});
			expect(['error', 'canceled']).toContain(lost.status);
			if (lost.status === 'error') expect(lost.error?.description).toMatch(ADVICE[way]);
			await loss.mend?.(world);
			const gone = world.journey.goOn(execution);
			const ended = await (loss.finally
				? (async () => {
						await new Promise((go) => setTimeout(go, 3_000));
						loss.finally?.(world);
						return await gone;
					})()
				: gone);
			show(`${what} ${where} gone on`, {
				status: ended.status,
				error: ended.error && {
					m: ended.error.message,
					d: ended.error.description,
					c: ended.error.context?.data,
				},
				charges: await world.charges(),
				posts: (await world.creations()).map(({ body, idempotencyKey, status }) => [
					(body as any).prompt,
					idempotencyKey?.slice(0, 10),
					status,
				]),
			});
			expectAll(ended, world.rows);
			expect(await world.charges()).toEqual(world.rows.map(() => 1));
		},
		300_000,
	);
});
