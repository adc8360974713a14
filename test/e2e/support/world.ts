import { randomUUID } from 'node:crypto';
import { credentialData, saveCredential } from '../../../lab/n8n/credential';
import type { SettingsInput } from '../../../sandbox/settings';
import { refusal, startFront, type Front } from './front';
import { rest } from './harness';
import { createParameters } from './media';
import { closing, ownSandbox } from './ownSandbox';
import { travel, type Ended, type Plan, type Row } from './ways';

/** The third is the one that is refused where one is. */
export const ROWS: Row[] = [{ p: 'a boat' }, { p: 'a car' }, { p: 'a kite' }, { p: 'a tree' }];
export const REFUSED = 'a kite';

/** Parameters of an image of each row. */
export const imageOf = (given: Record<string, unknown> = {}) =>
	createParameters({ prompt: '={{ $json.p }}', downloadOutputs: false, ...given });

/** `isFollowed`: another node, behind ours, calls the front at {@link BEHIND}. */
export type WorldPlan = Partial<Omit<Plan, 'followedBy'>> &
	Pick<Plan, 'way'> & { isFollowed?: boolean };

/** The path that the other node calls. */
export const BEHIND = '/v1/behind';

export type World = Awaited<ReturnType<typeof worldOf>>;

/**
 * A workflow of a test's own, a sandbox whose ledger judges it, and a front between them. It makes an image
 * of each row unless the plan says otherwise.
 */
export async function worldOf(plan: WorldPlan, settings: SettingsInput = {}) {
	const own = await ownSandbox(settings);
	const front = await startFront(own.access.baseUrl);
	closing.push(front.close);
	const access = { ...own.access, baseUrl: front.baseUrl };
	const credential = await saveCredential(rest, randomUUID(), access);
	const { rows = ROWS, parameters = imageOf(), isFollowed = false, ...others } = plan;
	const followedBy = isFollowed ? new URL(BEHIND, front.baseUrl).href : undefined;
	const ours = { node: 'mediaGen', ...others, credential, rows, parameters };
	const journey = await travel({ ...ours, followedBy });
	return {
		...own,
		access,
		front,
		journey,
		rows,
		/** How many creations the first run of the node has under way. */
		atOnce: plan.way === 'loop' ? 1 : rows.length,
		/** How often each row was charged. */
		async charges(of: readonly Row[] = rows): Promise<number[]> {
			const texts = new Map((await own.sandbox.jobs()).map(({ id, text }) => [id, text]));
			const { lines } = await own.sandbox.ledger(own.workspace);
			const paid = lines
				.filter(({ movement }) => ['reserve', 'charge'].includes(movement))
				.map(({ resource }) => texts.get(resource ?? ''));
			return of.map(({ p }) => paid.filter((text) => text === p).length);
		},
		/** What the user changes in the credential. */
		changeAccess: async (change: Partial<typeof access>) =>
			await rest.credentials.update(credential, credentialData({ ...access, ...change })),
	};
}

/** From now on the front refuses one row. */
export const refuseOne = ({ front }: { front: Front }) =>
	front.rule(async ({ isCreation, body }, pass) => {
		const isRefused = isCreation && (body.prompt === REFUSED || body.brief === REFUSED);
		return isRefused ? refusal(400, 'No kites today') : await pass();
	});

/** From now on the front refuses nothing. */
export const passAll = ({ front }: { front: Front }) => front.rule(async (_, pass) => await pass());

/** Each row has its finished media, in the order of the rows. */
export function expectAll({ items }: Ended, rows: readonly Row[]): void {
	const made = items.map(({ json }) => [json.prompt, json.status]);
	expect(made).toEqual(rows.map(({ p }) => [p, 'completed']));
}
