import { OtherClients } from '../../src/service/otherClients';

test('an answer that comes later than that to a newer list says nothing', () => {
	const others = new OtherClients();
	others.listed(['gen_1', 'gen_2'], 2_000);
	others.listed([], 1_000);
	expect(others.count).toBe(2);
	expect(others.listedAt).toBe(2_000);
});
