import { ENDPOINTS, SCOPES } from '../../../src/api';
import type { SendResult } from '../../../src/base/types';
import { answer, errorBody, LOST } from '../../model/answers';
import { ended, setUp, type Part } from '../../support/serviceRun';
import { allCases, givenFor, hasOption, type Case } from '../../support/operations';

jest.mock('../../../src/base/clock', () => jest.requireActual('../../support/virtualTime'));

/*
 * Max Credits per Day where the usage of the workspace cannot be read: over all operations that cost
 * something. What generations cost shows their list; what the others have cost, nothing shows then.
 */

const isListed = ({ operation }: Case) => operation.spec.endpoint === ENDPOINTS.createGeneration;

const charging = async () => (await allCases()).filter(({ operation }) => operation.spec.charges);

const notWaiting = (one: Case) =>
	hasOption(one, 'waitForCompletion') ? { waitForCompletion: false } : {};

/** An operation under a limit of the day. */
function under(one: Case, usage: SendResult, more: Part = {}) {
	const { endpoint, object = '' } = one.operation.spec;
	const paths: string[] = [];
	const t = setUp({
		node: new one.node(),
		given: {
			...givenFor(one),
			options: { ...notWaiting(one), maxCreditsPerDay: 500 },
		},
		...more,
		answers({ method, path }) {
			paths.push(path);
			if (path === ENDPOINTS.getUsage.path) return usage;
			if (path === ENDPOINTS.listGenerations.path && method === 'GET')
				return answer(200, { object: 'list', data: [], has_more: false });
			const id = path.split('/')[3] ?? 'one';
			const job = { id, object, status: 'queued', estimated_credits: 2, plan: {} };
			return answer(method === 'POST' ? (endpoint.success?.[0] ?? 201) : 200, job);
		},
	});
	return { ...t, paths, run: async () => await ended(t.run()) };
}

const SHOWN = answer(200, { object: 'usage', data: [] });

test('where it can be read, each goes out, and nothing is said', async () => {
	const all = await charging();
	expect(all.length).toBeGreaterThan(8);
	expect(all.filter(isListed)).toHaveLength(3);
	for (const one of all) {
		const t = under(one, SHOWN);
		const { error, items } = await t.run();
		expect([one.name, error?.message, t.posts().length]).toEqual([one.name, undefined, 1]);
		expect(items[0]?.json.warning).not.toEqual(expect.stringContaining('per Day'));
	}
});

const UNREAD: Array<[name: string, usage: SendResult, why: RegExp, cure: RegExp]> = [
	[
		'is refused',
		answer(403, errorBody('no')),
		/^Max Credits per Day \(500\) cannot be kept: the key may not read the usage \(scope usage:read\)$/,
		/^Give the key the scope usage:read, or remove the limit; then /,
	],
	['is not there', answer(404), /the usage could not be read$/, /remove the limit; then /i],
	[
		'fails',
		answer(500),
		/the usage could not be read$/,
		/^Wait until .*, or remove the limit; then /,
	],
	['gives no answer', LOST, /the usage could not be read$/, /^Wait until .*, or remove the limit;/],
	[
		'shows only a sum',
		answer(200, { total_credits: 7 }),
		/the usage does not show what speech, voices, personas and agent runs have cost$/,
		/^Remove the limit; then /,
	],
];

describe.each(UNREAD)('where it %s', (_name, usage, why, cure) => {
	test('what no list shows is not sent, and the error says why and what helps', async () => {
		for (const one of await charging()) {
			if (isListed(one)) continue;
			const t = under(one, usage);
			const { error } = await t.run();
			expect([one.name, t.posts()]).toEqual([one.name, []]);
			expect(error?.message).toMatch(why);
			expect(error?.description).toMatch(cure);
			expect(error?.description).toContain('Nothing was sent');
		}
	});

	test('generations are sent, and their rows say what is not counted', async () => {
		for (const one of await charging()) {
			if (!isListed(one)) continue;
			const t = under(one, usage);
			const { error, items } = await t.run();
			expect([one.name, error?.message, t.posts().length]).toEqual([one.name, undefined, 1]);
			expect(items[0]?.json.warning).toBe(
				'Max Credits per Day has counted the list of generations only, and not what speech, voices, personas and agent runs have cost today',
			);
		}
	});

	test('without a limit of the day it is not read', async () => {
		for (const one of await charging()) {
			const options = notWaiting(one);
			const t = under(one, usage, { given: { ...givenFor(one), options } });
			const { error, items } = await t.run();
			expect(t.paths).not.toContain(ENDPOINTS.getUsage.path);
			expect([one.name, error?.message, t.posts().length]).toEqual([one.name, undefined, 1]);
			expect(items[0]?.json.warning).not.toEqual(expect.stringContaining('per Day'));
		}
	});
});

test('a key whose scopes are known to lack usage:read is refused before any request', async () => {
	for (const one of await charging()) {
		const t = under(one, SHOWN, {
			credential: { scopes: SCOPES.filter((one) => one !== 'usage:read') },
		});
		const { error } = await t.run();
		const says = 'The credential is limited to scopes without usage:read';
		expect([one.name, error?.message]).toEqual([one.name, isListed(one) ? undefined : says]);
		expect(t.paths.length > 0).toBe(isListed(one));
	}
});
