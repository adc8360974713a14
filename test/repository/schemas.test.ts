/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { schemaFiles, type JsonSchema } from '../../scripts/schemas';

let files: Map<string, string>;

beforeAll(async () => {
	files = await schemaFiles();
});

/** Of these answers the specification shows nothing. */
const isOpen = (file: string) => /\/(getCredits|getUsage|delivery\/getAll)\.json$/.test(file);

test('the files beside the nodes are what the sandbox validates with: npm run write writes them', () => {
	const folders = readdirSync('nodes').map((node) => `nodes/${node}/__schema__`);
	const written = folders
		.filter((folder) => existsSync(folder))
		.flatMap((folder) =>
			readdirSync(folder, { recursive: true }).map((name) => `${folder}/${String(name)}`),
		)
		.filter((file) => file.endsWith('.json'));
	expect(written.sort()).toEqual([...files.keys()].sort());
	const stale = written.filter((file) => readFileSync(file, 'utf8') !== files.get(file));
	expect(stale).toEqual([]);
});

test('n8n shows the fields of all that are known', () => {
	for (const [file, text] of files) {
		const { type, properties = {} } = JSON.parse(text) as JsonSchema;
		expect(type).toBe('object');
		// The editor takes a schema without properties for none at all.
		expect([file, Object.keys(properties).length > 0]).toEqual([file, !isOpen(file)]);
	}
});
