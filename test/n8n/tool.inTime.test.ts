import { LOST } from '../model/answers';
import type { NodeRun } from '../support/nodeContext';
import { allCases, givenFor, hasOption, type Case } from '../support/operations';
import { clock, ended, setUp } from '../support/serviceRun';

jest.mock('../../src/base/clock', () => jest.requireActual('../support/virtualTime'));

/* An agent gives up after about a minute. */

const nodeType = 'n8n-nodes-mediagen.mediaGenTool';
const png = { data: 'iVBORw0KGgo=', mimeType: 'image/png', fileName: 'a.png' };
const items = [{ json: {}, binary: { data: png } }];

/** A call before a service of which every request hangs for two minutes: how long it takes, and its rows. */
async function callOf(one: Case, door: Partial<NodeRun>, options: object) {
	const t = setUp({
		node: new one.node(),
		nodeType,
		items,
		given: { ...givenFor(one), options },
		answers: async () => {
			await clock.sleep(120_000);
			return LOST;
		},
		...door,
	});
	const since = clock.monotonic();
	const { items: rows } = await ended(t.run());
	return { seconds: (clock.monotonic() - since) / 1_000, rows: rows.map(({ json }) => json) };
}

test.each<[string, Partial<NodeRun>]>([
	['as a whole', {}],
	['within another node', { inputData: { ai_tool: [items] } }],
])('called %s, each operation is answered in time, whatever hangs', async (_name, door) => {
	const cases = await allCases();
	const late: string[] = [];
	for (const one of cases)
		for (const options of hasOption(one, 'dryRun') ? [{}, { dryRun: true }] : [{}]) {
			const { seconds } = await callOf(one, door, options);
			if (seconds > 50) late.push(`${one.name} ${JSON.stringify(options)}: ${seconds} s`);
		}
	expect(cases.length).toBeGreaterThan(35);
	expect(late).toEqual([]);
});

test('a dry run that hangs waits for no slot and no credits, and its agent is not told so', async () => {
	const [image] = (await allCases()).filter(({ name }) => name === 'MediaGen: Generate Image');
	const { rows } = await callOf(image!, {}, { dryRun: true });
	expect(rows).toEqual([
		{ status: 'not finished', next: 'Not finished yet. Call this tool again in about a minute.' },
	]);
});
