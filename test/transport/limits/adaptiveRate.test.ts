import fc from '../../support/fastCheck';
import { AdaptiveRate } from '../../../src/transport/limits/adaptiveRate';

describe('requests per minute, when other clients use the workspace too', () => {
	test('a 429 lowers the limit below what we had used, and it recovers in five minutes', () => {
		const limit = new AdaptiveRate(60);
		expect(limit.at(0)).toBe(60);
		limit.throttled(0, 40);
		expect(limit.at(0)).toBe(36);
		expect(limit.at(150_000)).toBe(48);
		expect(limit.at(300_000)).toBe(60);
	});

	test('the limit is never below 1 and never above the configured one', () => {
		const refusal = fc.tuple(
			fc.integer({ min: 0, max: 600_000 }),
			fc.integer({ min: 0, max: 100 }),
		);
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 100 }), fc.array(refusal), (configured, refusals) => {
				const limit = new AdaptiveRate(configured);
				let now = 0;
				for (const [later, used] of refusals) {
					now += later;
					limit.throttled(now, used);
					expect(limit.at(now)).toBeGreaterThanOrEqual(1);
					expect(limit.at(now)).toBeLessThanOrEqual(configured);
				}
			}),
		);
	});
});
