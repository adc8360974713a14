import packageJson from '../../package.json';
import { rest } from './support/harness';

const PREFIX = 'n8n-nodes-mediagen.';

/**
 * Node names by the files that package.json registers: `dist/nodes/Voice/MediaGenVoice.node.js` is
 * `mediaGenVoice`.
 */
const registered = packageJson.n8n.nodes.map((file) => {
	const name = /([^/]+)\.node\.js$/.exec(file)?.[1] ?? '';
	return `${PREFIX}${name[0]?.toLowerCase()}${name.slice(1)}`;
});

it('n8n loads every node of the package, with its icon, and all but the triggers as tools of AI agents', async () => {
	const types = (await rest.nodes.types()).filter(({ name }) => name.startsWith(PREFIX));
	const names = types.map(({ name }) => name);
	expect(names).toEqual(expect.arrayContaining(registered));
	const tools = registered.filter((name) => !name.endsWith('Trigger')).map((name) => `${name}Tool`);
	expect(names.filter((name) => name.endsWith('Tool')).sort()).toEqual(tools.sort());
	for (const { iconUrl } of types) {
		expect(iconUrl).toMatchObject({ light: expect.any(String), dark: expect.any(String) });
	}
});
