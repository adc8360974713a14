import { runOurs, sandbox } from './support/harness';

const node = 'mediaGenWorkspace';

const asked = async () => (await sandbox.requests()).filter(({ path }) => path.startsWith('/v1/'));

beforeEach(async () => await sandbox.reset());

describe('Workspace', () => {
	it('Get Credits gives the balance as the service states it', async () => {
		const run = await runOurs({ node, parameters: { operation: 'getCredits' } });
		expect(run.error).toBeUndefined();
		expect(run.items[0]?.json).toMatchObject({ object: 'credits', available: 10_000 });
	});

	it('Get Usage sends the time in UTC', async () => {
		const run = await runOurs({
			node,
			parameters: { operation: 'getUsage', since: '={{ "2026-01-31T12:00:00+02:00" }}' },
		});
		expect(run.items[0]?.json).toMatchObject({ object: 'usage' });
		expect((await asked())[0]?.query).toEqual({ since: '2026-01-31T10:00:00.000Z' });
	});

	it('Get Many Models filters by mode, leaves out the voices with Simplify, and sends no limit', async () => {
		const simple = await runOurs({ node, parameters: { operation: 'getModels', mode: 'audio' } });
		expect(simple.items.length).toBeGreaterThan(2);
		const lite = simple.items.find(({ json }) => json.id === 'service/speech-lite');
		expect(lite?.json.capabilities).toMatchObject({ voice_count: expect.any(Number) as number });
		expect(JSON.stringify(lite)).not.toContain('"voices"');
		const raw = await runOurs({
			node,
			parameters: { operation: 'getModels', mode: '', simplify: false, limit: 1 },
		});
		expect(raw.items).toHaveLength(1);
		expect((await asked()).map(({ query }) => query)).toEqual([{ mode: 'audio' }, {}]);
	});
});
