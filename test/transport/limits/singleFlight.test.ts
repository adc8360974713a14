import { SingleFlight } from '../../../src/transport/limits/singleFlight';

const DAY = 86_400_000;

test('a content is continued under the last key that has, or may have, a job: a day long', () => {
	const creations = new SingleFlight();
	expect(creations.keyInUse('cat', 0)).toBeUndefined();
	creations.noteKeyInUse('cat', 0, 0);
	expect(creations.keyInUse('cat', 0)).toBe(0);
	creations.noteKeyInUse('cat', 2, 1_000);
	creations.noteKeyInUse('cat', 1, 2_000);
	creations.noteKeyInUse('cat', 2, 2_000);
	expect(creations.keyInUse('cat', 1_000 + DAY - 1)).toBe(2);
	expect(creations.keyInUse('cat', 1_000 + DAY)).toBeUndefined();
	expect(creations.keyInUse('dog', 1_000)).toBeUndefined();
	creations.noteKeyInUse('cat', 1, 1_000 + DAY);
	expect(creations.keyInUse('cat', 1_000 + DAY)).toBe(1);
});
