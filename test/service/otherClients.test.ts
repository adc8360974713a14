import { OtherClients } from '../../src/service/otherClients';

const MINUTE = 60_000;

test('others are remembered for ten minutes, whatever later lists show', () => {
	const others = new OtherClients();
	expect(others.wereSeen(0)).toBe(false);
	others.listed(['gen_theirs'], 0);
	others.listed([], 3_000);
	others.listed([], 6_000);
	expect(others.seen(6_000)).toBe(0);
	expect(others.wereSeen(9 * MINUTE)).toBe(true);
	expect(others.wereSeen(10 * MINUTE)).toBe(false);
});

test('a job that a list shows before its creation is answered is ours from then on', () => {
	const others = new OtherClients();
	others.listed(['gen_ours'], 0);
	expect(others.wereSeen(0)).toBe(true);
	others.created('gen_ours');
	expect(others.wereSeen(0)).toBe(false);
	expect(others.count).toBe(0);
});
