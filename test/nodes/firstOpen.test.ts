import { NodeHelpers, type INodeParameters, type INodeProperties } from 'n8n-workflow';
import { readNodes } from '../../scripts/nodes';
import { read } from '../support/sources';

/*
 * What a builder meets who opens a new node: counted over the descriptions as n8n serves them, as the
 * walk through the editor counted other packages' nodes.
 *
 * Controls: every field that the editor shows with the defaults, a collection as one, and the
 * credential. Words of help: the descriptions, hints and notices of those fields, whether they stand
 * in the panel or under a question mark; not what a list says of a choice.
 */

/** A node as it opens at one of its operations. */
async function opened(name: string, operation: string): Promise<INodeProperties[]> {
	const node = (await readNodes()).find(({ description }) => description.name === name);
	if (!node) throw new Error(`no node ${name}`);
	const { description } = node;
	const { properties } = JSON.parse(JSON.stringify(description)) as typeof description;
	const given = { operation };
	const values: INodeParameters =
		NodeHelpers.getNodeParameters(properties, given, true, false, null, description) ?? {};
	return properties.filter(
		(field) =>
			field.type !== 'hidden' &&
			NodeHelpers.displayParameter(values, field, null, description, values),
	);
}

const CREDENTIAL = 1;

const controlsOf = (fields: INodeProperties[]): number =>
	fields.filter(({ type }) => type !== 'notice').length + CREDENTIAL;

const helpOf = (fields: INodeProperties[]): string =>
	fields
		.flatMap(({ type, displayName, description, hint }) => [
			type === 'notice' ? displayName : description,
			hint,
		])
		.filter((text) => text !== undefined)
		.join(' ');

const wordsIn = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;

test.each([
	['mediaGen', 'generateImage', 7],
	['mediaGen', 'generateVideo', 7],
	['mediaGen', 'generateAudio', 7],
	['mediaGenSpeech', 'create', 8],
])('%s: %s opens with at most %d controls and 40 words of help', async (node, operation, most) => {
	const fields = await opened(node, operation);
	expect(fields.map(({ name }) => name)).toEqual(expect.arrayContaining(['operation', 'model']));
	const model = fields.find(({ name }) => name === 'model')?.default as { value: string };
	// Where the model decides what kind of sound is made, nothing is preset.
	if (operation === 'generateAudio') expect(model.value).toBe('');
	else expect(model.value).not.toBe('');
	expect(controlsOf(fields)).toBeLessThanOrEqual(most);
	expect(wordsIn(helpOf(fields))).toBeLessThanOrEqual(40);
});

/** A row of the table of docs/verification.md, what it says of our own nodes. */
const saidOf = (row: string): string =>
	new RegExp(`^\\| ${row} +\\| (.*?) +\\|`, 'm').exec(read('docs/verification.md'))?.[1] ?? '';

test('docs/verification.md has the figures of today', async () => {
	const media = ['generateImage', 'generateVideo', 'generateAudio'];
	const fields = await Promise.all(media.map(async (one) => await opened('mediaGen', one)));
	const speech = await opened('mediaGenSpeech', 'create');
	const figures = (count: (of: INodeProperties[]) => number) =>
		`${fields.map(count).join(', ')}; Speech ${count(speech)}`;
	expect(saidOf('controls')).toBe(figures(controlsOf));
	expect(saidOf('words of help')).toBe(figures((of) => wordsIn(helpOf(of))));
});

test('as a tool of an AI agent no operation opens with an expression: there is no node before it', async () => {
	for (const { description } of await readNodes()) {
		if (!description.usableAsTool) continue;
		const shown = description.properties.filter(({ displayOptions }) =>
			[displayOptions?.show?.['@tool'] ?? [true]].flat().includes(true),
		);
		const all = JSON.stringify(shown.map((field) => [field.name, field.default]));
		expect([description.name, all.match(/"=\{\{[^"]*"/g)]).toEqual([description.name, null]);
	}
});
