import { plainFields } from '../../nodes/AgentRun/operations';
import { simpleVoice } from '../../nodes/Voice/operations';
import { simpleModel } from '../../nodes/Workspace/operations';

test('a model keeps all but its voices, which are counted', () => {
	const model = {
		id: 'm',
		capabilities: { voices: [{ id: 'a' }, { id: 'b' }], inputs: ['image'] },
	};
	expect(simpleModel(model)).toEqual({
		id: 'm',
		capabilities: { inputs: ['image'], voice_count: 2 },
	});
});

test('a voice keeps what one chooses it by, and at most ten fields', () => {
	const voice = {
		id: 'a',
		label: 'A',
		gender: null,
		language_code: 'en',
		styles: ['calm'],
		other: 1,
	};
	expect(simpleVoice(voice)).toEqual({ id: 'a', label: 'A', gender: null, language_code: 'en' });
});

test('plain fields leave out what is nested', () => {
	const run = { id: 'r', status: 'queued', spent_credits: 1, plan: {}, outputs: [], error: null };
	expect(plainFields(run)).toEqual({ id: 'r', status: 'queued', spent_credits: 1, error: null });
});
