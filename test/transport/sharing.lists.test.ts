import { OtherClients } from '../../src/transport/sharing';

const MINUTE = 60_000;

test('what a list has taught is as old as the list: after a minute it is forgotten', () => {
	const others = new OtherClients();
	expect(0 < others.thereUntil).toBe(false);
	others.listed(['gen_1', 'gen_2'], 0);
	expect([others.count(MINUTE - 1), MINUTE - 1 < others.thereUntil]).toEqual([2, true]);
	expect([others.count(MINUTE), MINUTE < others.thereUntil]).toEqual([0, false]);
});

test('others whose jobs are short are there although the lists after that show none', () => {
	const others = new OtherClients();
	others.listed(['gen_theirs'], 0);
	others.listed([], 3_000);
	others.listed([], 6_000);
	expect(others.count(6_000)).toBe(0);
	expect(6_000 < others.thereUntil).toBe(true);
	expect(MINUTE < others.thereUntil).toBe(false);
});

test('others are gone once a list shows none 8 s after the last that did, not before one has come', () => {
	const others = new OtherClients();
	others.listed(['gen_theirs'], 0);
	others.listed([], 7_999);
	expect(7_999 < others.thereUntil).toBe(true);
	expect(30_000 < others.thereUntil).toBe(true);
	others.listed([], 8_000);
	expect(8_000 < others.thereUntil).toBe(false);
	others.listed(['gen_theirs'], 9_000);
	expect(9_000 < others.thereUntil).toBe(true);
});

test('a job that a list shows before its creation is answered is ours from then on', () => {
	const others = new OtherClients();
	others.listed(['gen_ours'], 0);
	expect(0 < others.thereUntil).toBe(true);
	others.created('gen_ours');
	expect(0 < others.thereUntil).toBe(false);
	expect(others.count(0)).toBe(0);
});

test('a list that comes late changes nothing: a newer one has shown what runs', () => {
	const others = new OtherClients();
	others.listed([], 3_000);
	others.listed(['gen_theirs'], 0);
	expect(others.count(3_000)).toBe(0);
	expect(others.listedAt).toBe(3_000);
	expect(3_000 < others.thereUntil).toBe(false);
});
