/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { setTimeout as sleep } from 'node:timers/promises';
import { refusal } from './support/front';
import { expectAll, imageOf, passAll, worldOf } from './support/world';

describe('creations that are carried out, but answered later than the client waits', () => {
	/** As many as a plan runs at a time, so that no answer comes in between. */
	const FIVE = Array.from({ length: 5 }, (_, index) => ({ p: `late ${index}` }));

	it.concurrent(
		'the Timeout of the node: all of a run are sent again under their keys, and paid for once',
		async () => {
			const { front, journey, rows, charges, creations } = await worldOf({
				way: 'editor',
				rows: FIVE,
				parameters: imageOf({ requestOptions: { timeout: 3_000 } }),
			});
			let seen = 0;
			front.rule(async ({ isCreation }, pass) => {
				const reply = await pass();
				if (isCreation) seen += 1;
				if (isCreation && seen <= rows.length) await sleep(6_000);
				return reply;
			});
			const ended = await journey.ended(await journey.begin());
			expectAll(ended, rows);
			expect(await charges()).toEqual(rows.map(() => 1));
			expect(await creations()).toHaveLength(2 * rows.length);
		},
		240_000,
	);

	it.concurrent(
		'never, and On Error is Continue: the rows say how to go on, and so the next click gets the media',
		async () => {
			const world = await worldOf({
				way: 'editor',
				parameters: imageOf({ requestOptions: { timeout: 1_000 }, options: { waitTimeout: 1 } }),
				onError: 'continueRegularOutput',
			});
			const { front, journey, rows, charges } = world;
			front.rule(async ({ isCreation }, pass) => {
				const reply = await pass();
				if (isCreation) await sleep(60_000, undefined, { ref: false });
				return reply;
			});
			const lost = await journey.begin();
			const { items } = await journey.ended(lost);
			expect(items.map(({ json }) => json.status)).toEqual(rows.map(() => 'failed'));
			passAll(world);
			expectAll(await journey.goOn(lost), rows);
			expect(await charges()).toEqual(rows.map(() => 1));
		},
		240_000,
	);
});

describe('first answers that leave open whether a creation was carried out', () => {
	const EQUAL = [{ p: 'the same' }, { p: 'the same' }];

	it.concurrent.each([302, 409, 425])(
		'%i: with Same Request, equal rows have one job',
		async (status) => {
			const { front, journey, charges } = await worldOf({
				way: 'editor',
				rows: EQUAL,
				parameters: imageOf({ options: { idempotency: 'content' } }),
			});
			const keys = new Set<string>();
			front.rule(async ({ isCreation, key }, pass) => {
				if (!isCreation) return await pass();
				const isFirst = !keys.has(key);
				keys.add(key);
				if (!isFirst) return await pass();
				await pass();
				await sleep(500);
				return { ...refusal(status, 'Not now'), headers: { location: '/elsewhere' } };
			});
			const ended = await journey.ended(await journey.begin());
			expectAll(ended, EQUAL);
			expect(new Set(ended.items.map(({ json }) => json.id)).size).toBe(1);
			expect(await charges(EQUAL.slice(1))).toEqual([1]);
		},
		180_000,
	);

	it.concurrent(
		'409 while the key is in use: the second of two equal rows waits for the job of the first',
		async () => {
			const { front, journey, charges } = await worldOf({
				way: 'editor',
				rows: EQUAL,
				parameters: imageOf({ options: { idempotency: 'content' } }),
			});
			const inUse = new Set<string>();
			front.rule(async ({ isCreation, key }, pass) => {
				if (!isCreation) return await pass();
				if (inUse.has(key)) return refusal(409, 'A request with this key is in progress');
				inUse.add(key);
				await sleep(3_000);
				const reply = await pass();
				inUse.delete(key);
				return reply;
			});
			const ended = await journey.ended(await journey.begin());
			expectAll(ended, EQUAL);
			expect(await charges(EQUAL.slice(1))).toEqual([1]);
		},
		180_000,
	);
});
