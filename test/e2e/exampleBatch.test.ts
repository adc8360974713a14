/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { runExample, saveExample, type ItemsOf } from './support/examples';
import { filesFolder, keys, sandbox } from './support/harness';
import { sniff } from './support/media';

beforeEach(async () => await sandbox.reset());

/** The two batches: how many files a run has stored, and what its rows say. */
const BATCHES = [
	{
		number: '8',
		stored: (items: ItemsOf) => items('Done').map(({ json }) => String(json.file)),
	},
	{
		number: '8b',
		stored: (items: ItemsOf) => items('Store File').map(({ json }) => String(json.fileName)),
	},
];

describe.each(BATCHES)('$number: a scheduled batch', ({ number, stored }) => {
	/** The first night has credits for three of the six pictures, the others have enough. */
	it('stops cleanly without credits, continues the next night, and creates nothing twice', async () => {
		const workflow = await saveExample(number);
		await runExample(workflow, 'Set Up');
		const { workspace } = keys.full;
		const { balance } = await sandbox.ledger(workspace);
		const price = 2;
		await sandbox.addCredits(workspace, 3 * price - balance.available);
		const first = await runExample(workflow, 'Every Night');
		expect(stored(first)).toHaveLength(3);
		expect(first('Left for Tomorrow').length).toBeGreaterThan(0);

		await sandbox.addCredits(workspace, 1_000);
		const second = await runExample(workflow, 'Every Night');
		const files = [...stored(first), ...stored(second)];
		expect(new Set(files).size).toBe(6);
		for (const file of files) expect(sniff(readFileSync(file))).toBe('image/png');
		expect(path.dirname(files[0] ?? '')).toBe(filesFolder);

		const third = await runExample(workflow, 'Every Night');
		expect(third('Picture')).toEqual([]);
		const { lines } = await sandbox.ledger(workspace);
		expect(lines.filter(({ movement }) => movement === 'reserve')).toHaveLength(6);
	});
});
