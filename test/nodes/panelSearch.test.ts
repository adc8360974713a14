import { found, ourNodes, SEARCHES } from '../support/panelSearch';

test.each(SEARCHES)('who looks for "%s" finds %j in the nodes panel', async (text, entries) => {
	expect(
		found(text, await ourNodes())
			.slice(0, entries.length)
			.sort(),
	).toEqual([...entries].sort());
});
