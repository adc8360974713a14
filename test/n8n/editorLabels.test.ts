import { withEditorLabels } from '../../src/n8n/output/editorLabels';

const LABELS = {
	prompt: 'Prompt',
	model: 'Model',
	persona_id: 'Persona',
	'parameters.count': 'Count',
	'parameters.voice': 'Voice',
	'input.start_frame': 'Start Frame',
	'a+b': 'Sum',
};

test.each([
	['parameters.count must be at most 4', 'Count must be at most 4'],
	['Must be at most 4: parameters.count.', 'Must be at most 4: Count.'],
	['/parameters/count is too high', 'Count is too high'],
	['input.start_frame[0] cannot be read', 'Start Frame cannot be read'],
	['Unknown persona_id "x"', 'Unknown Persona "x"'],
	['"model" is unknown', 'Model is unknown'],
	["the field 'prompt' is too long", 'the field Prompt is too long'],
	['`a+b` is wrong', 'Sum is wrong'],
	['prompt: too long', 'Prompt: too long'],
	['The model does not take this prompt', 'The model does not take this prompt'],
	['parameters.counter is unknown', 'parameters.counter is unknown'],
	['parameters.count.max is unknown', 'parameters.count.max is unknown'],
])('%p becomes %p', (text, expected) => {
	expect(withEditorLabels(text, LABELS)).toBe(expected);
});
