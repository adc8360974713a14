import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { MediaGen } from '../../nodes/MediaGen/MediaGen.node';
import { mixedUpCall } from '../../src/fields/mixedUpCall';
import { nodeContext, nodeRun } from '../support/nodeContext';
import { execute } from '../support/engine';

const fromAI = (key: string, more = '') =>
	`={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('${key}', \`what to (draw), "exactly"\`, 'string'${more}) }}`;

/** A tool call with its own arguments, where n8n evaluates with those of another one. */
function call(own: IDataObject, other: IDataObject, raw: INodeParameters) {
	const run = nodeRun({
		inputData: { ai_tool: [[{ json: own }]] },
		evaluatedArguments: other,
		rawParameters: raw,
	});
	return nodeContext(run);
}

test('outside of a tool nothing is corrected', () => {
	const run = nodeRun({ rawParameters: { prompt: fromAI('prompt') } });
	expect(mixedUpCall(nodeContext(run))).toBeUndefined();
});

test('nor where n8n has the right arguments', () => {
	const given = { prompt: 'a red car', size: { w: 1 } };
	const raw = { prompt: fromAI('prompt'), size: fromAI('size') };
	expect(mixedUpCall(call(given, structuredClone(given), raw))).toBeUndefined();
});

test.each<[string, unknown, unknown, unknown]>([
	['a text', fromAI('prompt'), 'a red car', 'a blue boat'],
	['without the comment of the editor', "={{ $fromAI('prompt') }}", 'a red car', 'a blue boat'],
	['whatever the case and the quotes', '={{$fromai("prompt")}}', 'a red car', 'a blue boat'],
	['what no argument is part of', '={{ $now }}', 'today', 'today'],
	['a text that only talks of it', "$fromAI('prompt')", "$fromAI('prompt')", "$fromAI('prompt')"],
	['a default', fromAI('missing', ", 'a fallback'"), 'a car', 'a fallback'],
	[
		'fields of a collection',
		{ a: fromAI('prompt'), b: 1 },
		{ a: 'a red car', b: 1, c: 2 },
		{ a: 'a blue boat', b: 1, c: 2 },
	],
	[
		'rows',
		{ rows: [{ text: fromAI('prompt') }, { text: 'fixed' }] },
		{ rows: [{ text: 'a red car' }, { text: 'fixed' }] },
		{ rows: [{ text: 'a blue boat' }, { text: 'fixed' }] },
	],
])('%s is corrected', (_, raw, evaluated, expected) => {
	const parameters = { prompt: fromAI('prompt'), field: raw } as INodeParameters;
	const mixedUp = mixedUpCall(call({ prompt: 'a blue boat' }, { prompt: 'a red car' }, parameters));
	expect(mixedUp?.correct('field', evaluated)).toEqual(expected);
	expect(mixedUp).toHaveProperty('unknown', undefined);
});

test('arguments within "query" come first, as n8n takes them', () => {
	const own = { query: { prompt: 'a blue boat' }, prompt: 'a red car' };
	const context = call(own, { prompt: 'a red car' }, { prompt: fromAI('prompt') });
	expect(mixedUpCall(context)?.correct('prompt', 'a red car')).toBe('a blue boat');
});

test.each([
	"=A {{ $fromAI('prompt') }} at sea",
	"={{ $fromAI('prompt') + $fromAI('prompt') }}",
	"={{ $fromAI('prompt').toUpperCase() }}",
	"={{ $fromAI('prompt') || 'a cat' }}",
	"={{ $fromAI('prompt', `${ $now }`) }}",
])('%s is not guessed at', (mixed) => {
	const raw = { options: { field: mixed } };
	const context = call({ prompt: 'a blue boat' }, { prompt: 'a red car' }, raw);
	expect(mixedUpCall(context)?.unknown).toBe('options.field');
});

test('what combines only arguments that are the same in both calls stays as n8n has made it', () => {
	const raw = { prompt: fromAI('prompt'), style: "={{ $fromAI('style') }}, oil" };
	const context = call(
		{ prompt: 'a blue boat', style: 'bold' },
		{ prompt: 'a red car', style: 'bold' },
		raw,
	);
	const mixedUp = mixedUpCall(context);
	expect(mixedUp).toHaveProperty('unknown', undefined);
	expect(mixedUp?.correct('style', 'bold, oil')).toBe('bold, oil');
});

const { description } = new MediaGen();

/** The Generation node as a tool, from its parameters to the request that goes out. */
async function sent(raw: INodeParameters): Promise<unknown[]> {
	const requests: unknown[] = [];
	const run = nodeRun({
		inputData: { ai_tool: [[{ json: { text: 'a blue boat', size: '1x1' } }]] },
		evaluatedArguments: { text: 'a red car', size: '2x2' },
		rawParameters: raw,
		request: async ({ method, url, body }) => {
			requests.push({ method, url, body: JSON.parse(String(body)) as unknown });
			return { statusCode: 400, headers: {}, body: { error: { message: 'no' } } };
		},
	});
	const evaluated = {
		operation: 'generateImage',
		prompt: 'a red car',
		waitForCompletion: false,
		model: { __rl: true, mode: 'id', value: 'a red car' },
		parameters: { size: '2x2' },
	};
	await execute(description, run, () => evaluated).catch((error: Error) =>
		requests.push(error.message),
	);
	return requests;
}

test('the request holds the own arguments in the body, in locators and in collections', async () => {
	const [request] = await sent({
		prompt: fromAI('text'),
		model: { __rl: true, mode: 'id', value: fromAI('text') },
		parameters: { size: fromAI('size') },
	});
	expect(request).toMatchObject({
		method: 'POST',
		body: { prompt: 'a blue boat', model: 'a blue boat', parameters: { size: '1x1' } },
	});
});

test('a field whose own value is not known is refused before anything is sent', async () => {
	const [refusal, ...others] = await sent({ prompt: "=A {{ $fromAI('text') }}" });
	expect(refusal).toMatch(/^Prompt combines an argument of the AI with something else/);
	expect(others).toEqual([]);
});
