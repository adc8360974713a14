import { plainFields } from '../../nodes/AgentRun/operations';
import { simpleVoice } from '../../nodes/Voice/operations';
import { simpleModel } from '../../nodes/Workspace/operations';
import type { Json } from '../../src/api';

test.each<[string, (entry: Json) => Json, keeps: Json, leaves: Json]>([
	[
		'an agent run keeps what is not nested',
		plainFields,
		{ id: 'r', status: 'queued', spent_credits: 1, error: null },
		{ plan: {}, outputs: [] },
	],
	[
		'a voice keeps what one chooses it by',
		simpleVoice,
		{ id: 'a', label: 'A', gender: null, language_code: 'en' },
		{ styles: ['calm'], other: 1 },
	],
])('simplified, %s', (_what, simplify, keeps, leaves) => {
	expect(simplify({ ...keeps, ...leaves })).toEqual(keeps);
});

test('simplified, a model keeps all but its voices, which are counted', () => {
	const capabilities = { voices: [{ id: 'a' }, { id: 'b' }], inputs: ['image'] };
	const kept = { id: 'm', capabilities: { inputs: ['image'], voice_count: 2 } };
	expect(simpleModel({ id: 'm', capabilities })).toEqual(kept);
});
