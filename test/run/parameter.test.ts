import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { readParameter } from '../../src/run/nodeInput';
import { nodeContext, nodeRun, valueAt } from '../support/nodeContext';

/**
 * A node with these parameters as they are stored; what n8n evaluates, it answers with `evaluated`.
 */
function storing(parameters: Record<string, unknown>) {
	const evaluations: string[] = [];
	const getNodeParameter = (
		name: string,
		fallback?: unknown,
		options?: { rawExpressions?: boolean },
	) => {
		const stored = valueAt(parameters, name);
		if (options?.rawExpressions) return stored === undefined ? fallback : stored;
		evaluations.push(name);
		return 'evaluated';
	};
	const context = Object.assign(nodeContext(nodeRun()), { getNodeParameter });
	return { context: context as IExecuteSingleFunctions, evaluations };
}

test.each([
	['text', 'a cat'],
	['a collection whose fields are no expressions', { waitTimeout: 5, persona: { value: 'p' } }],
])('%s is read as it is stored', (_, stored) => {
	const { context, evaluations } = storing({ field: stored });
	expect(readParameter(context, 'field', 'fallback')).toEqual(stored);
	expect(evaluations).toEqual([]);
});

test.each([
	['an expression', '={{ $json.prompt }}'],
	['a collection with a field', { waitTimeout: '={{ 5 }}' }],
	['a locator in a collection', { persona: { __rl: true, mode: 'id', value: '={{ 5 }}' } }],
])('%s is evaluated', (_, stored) => {
	const { context, evaluations } = storing({ field: stored });
	expect(readParameter(context, 'field', 'fallback')).toBe('evaluated');
	expect(evaluations).toEqual(['field']);
});

test('what is missing is its fallback', () => {
	const { context, evaluations } = storing({});
	expect(readParameter(context, 'field', 'fallback')).toBe('fallback');
	expect(evaluations).toEqual([]);
});
