import { readEvent } from '../../src/events/event';
import { verdictOf, type Filters } from '../../src/events/event';

const none: Filters = { modes: [], models: [], statuses: [], resourceIds: [] };
const verdict = (payload: Record<string, unknown>, filters: Partial<Filters>) =>
	verdictOf(readEvent(payload), { ...none, ...filters });

const image = {
	id: 'g',
	object: 'generation',
	status: 'completed',
	mode: 'image',
	model: 'studio/image-1',
};
const of = (resource: object, type = 'generation.completed') => ({
	id: 'evt',
	type,
	data: { object: resource },
});

test('without a filter everything is wanted, an event without a resource too', () => {
	expect(verdict(of(image), {})).toBe('wanted');
	expect(verdict({ type: 'x' }, {})).toBe('wanted');
});

test.each<[Partial<Filters>, string]>([
	[{ modes: ['image', 'video'] }, 'wanted'],
	[{ modes: ['video'] }, 'unwanted'],
	[{ models: ['studio/image'] }, 'unwanted'],
	[{ statuses: ['failed'] }, 'unwanted'],
	[{ resourceIds: ['f', 'g'] }, 'wanted'],
	[{ resourceIds: ['f'] }, 'unwanted'],
	[{ modes: ['image'], statuses: ['failed'] }, 'unwanted'],
])('of an image %j makes it %s', (filters, expected) => {
	expect(verdict(of(image), filters)).toBe(expected);
});

test('what the payload does not hold has to be read, unless another filter decides', () => {
	const bare = of({ id: 'g', model: null });
	expect(verdict(bare, { models: ['studio/image-1'] })).toBe('unknown');
	expect(verdict(bare, { modes: ['image'] })).toBe('unknown');
	expect(verdict(bare, { statuses: ['completed'] })).toBe('unknown');
	expect(verdict(bare, { modes: ['image'], resourceIds: ['f'] })).toBe('unwanted');
	expect(verdict(bare, { resourceIds: ['g'] })).toBe('wanted');
});

test('a filter lets pass what cannot have its field', () => {
	const filters = { modes: ['video'], models: ['m'] };
	expect(
		verdict(of({ id: 'a', object: 'agent_run', status: 'completed' }, 'agent.completed'), filters),
	).toBe('wanted');
	expect(verdict(of({ id: 'p' }, 'persona.ready'), filters)).toBe('wanted');
	expect(verdict(of({ id: 'v' }, 'voice.created'), { ...filters, statuses: ['completed'] })).toBe(
		'wanted',
	);
});

test('speech has no mode and counts as audio', () => {
	const speech = of({ id: 's', object: 'speech_generation', model: 'm', status: 'completed' });
	expect(verdict(speech, { modes: ['audio'] })).toBe('wanted');
	expect(verdict(speech, { modes: ['image'] })).toBe('unwanted');
});

test('an event without a resource is not one of those that are wanted by id', () => {
	expect(verdict({ type: 'x' }, { resourceIds: ['g'] })).toBe('unwanted');
});

test.each([
	['agent.failed', 'agent_run'],
	['persona.failed', 'persona'],
])(
	'of %s, with and without its object, the status counts and the model does not',
	(type, object) => {
		for (const named of [{ object }, {}]) {
			const event = of({ id: 'x', status: 'failed', ...named }, type);
			expect(verdict(event, { statuses: ['failed'], models: ['m'] })).toBe('wanted');
			expect(verdict(event, { statuses: ['completed'] })).toBe('unwanted');
		}
	},
);
