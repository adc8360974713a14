import { nodePages } from '../../scripts/reference';
import { filesIn, read } from '../support/sources';

test('docs/nodes.md and the page of each node say what the nodes are: npm run write writes them', async () => {
	const pages = await nodePages();
	expect(filesIn('docs/nodes', '.md')).toEqual([...pages.keys()].slice(1).sort());
	for (const [file, text] of pages) {
		expect(`${file}\n${read(file)}`).toBe(`${file}\n${text}`);
		// A description of several sentences ends with a full stop of its own.
		expect([file, text.match(/\w\.\. .*/g)]).toEqual([file, null]);
	}
});
