import { SharedUse } from '../../../src/transport/limits/sharedUse';
import { POLICIES } from '../../../src/transport/limits/policies';

const { windowMs, ourShare } = POLICIES.rate;

describe('our part of the request rate', () => {
	test('all of it alone, a half from the first list that shows jobs of others', () => {
		const use = new SharedUse();
		expect(use.shareAt(0)).toBe(1);
		use.listed(new Set(['other']), ['other'], 0);
		expect(use.shareAt(1)).toBe(ourShare);
		// Nothing newer is known: they may still be there.
		expect(use.shareAt(windowMs - 1)).toBe(ourShare);
	});

	test('rises as the requests of the others leave the minute, once a list shows none of their jobs', () => {
		const use = new SharedUse();
		use.listed(new Set(['other']), ['other'], 0);
		use.listed(new Set(['other']), [], 10_000);
		expect(use.shareAt(windowMs / 4)).toBe(0.625);
		expect(use.shareAt(windowMs / 2)).toBe(0.75);
		expect(use.shareAt(windowMs)).toBe(1);
	});

	test('is a half again when they come back', () => {
		const use = new SharedUse();
		use.listed(new Set(['a']), ['a'], 0);
		use.listed(new Set(['a']), [], 10_000);
		use.listed(new Set(['a', 'b']), ['b'], 30_000);
		expect(use.shareAt(30_001)).toBe(ourShare);
	});
});
