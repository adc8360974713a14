import { errorTable, CONCERNS } from '../../scripts/reference/errors';
import { nodePages } from '../../scripts/reference/nodes';
import { readNodes } from '../../scripts/reference/readNodes';
import { filesIn, read } from '../support/sources';

test('docs/nodes.md and the page of each node say what the nodes are: npm run reference writes them', async () => {
	const pages = await nodePages();
	expect(filesIn('docs/nodes', '.md')).toEqual([...pages.keys()].slice(1).sort());
	for (const [file, text] of pages) {
		expect(`${file}\n${read(file)}`).toBe(`${file}\n${text}`);
		// A description of several sentences ends with a full stop of its own.
		expect([file, text.match(/\w\.\. .*/g)]).toEqual([file, null]);
	}
});

test('each node has a page with its panel, and for each operation what it outputs', async () => {
	const [pages, nodes] = await Promise.all([nodePages(), readNodes()]);
	expect(nodes).toHaveLength(filesIn('nodes', '.node.ts').length);
	for (const { slug, operations } of nodes) {
		const page = pages.get(`docs/nodes/${slug}.md`) ?? '';
		expect(page).toContain(`](../images/nodes/${slug}.png)`);
		expect(page.match(/^\*\*Output\.\*\*/gm) ?? []).toHaveLength(operations.length);
	}
});

const messagesOf = (table: string) => table.split('\n').map((line) => line.split('|')[1]?.trim());

test('a node is said to give the errors that it can give', async () => {
	const nodes = await readNodes();
	const tableOf = (wanted: string) => {
		const node = nodes.find(({ slug }) => slug === wanted);
		return node ? messagesOf(errorTable(node)) : [];
	};
	expect(tableOf('mediagen')).toEqual(
		expect.arrayContaining(['Not enough credits', 'The job failed: …']),
	);
	expect(tableOf('workspace')).toContain('The API key is invalid or missing');
	expect(tableOf('workspace')).not.toContain('Not enough credits');
	expect(tableOf('file')).toContain('The binary field "…" could not be uploaded: …');
	expect(tableOf('job')).toContain('Not found');
	expect(tableOf('event-trigger').join()).toContain('Publishing fails');
	expect(tableOf('polling-trigger').join()).not.toContain('Publishing fails');
});

test('whom a message concerns is said of messages that docs/troubleshooting.md has', () => {
	const rows = read('docs/troubleshooting.md').split('\n');
	const gone = CONCERNS.filter(([text]) => !rows.some((row) => row.startsWith(`| ${text}`)));
	expect(gone).toEqual([]);
});
