import { HeldPermit } from '../../../src/transport/limits/permit';
import { job } from '../../support/semaphore';

/** A permit, and what the semaphore hears from it. */
function setUp(isAloneInItsSlot = true) {
	const heard: unknown[][] = [];
	const hear =
		(what: string) =>
		(...given: unknown[]) =>
			void heard.push([what, ...given]);
	const permit: HeldPermit = new HeldPermit({
		free: hear('free'),
		accepted: hear('accepted'),
		refused: hear('refused'),
		abandon: (left, held) => {
			heard.push(['abandon', left.id, held === permit]);
			return isAloneInItsSlot;
		},
	});
	return { permit, heard };
}

test('a slot is freed once, however often it is released', () => {
	const { permit, heard } = setUp();
	permit.release();
	permit.release();
	permit.refused(5_000);
	expect(heard).toEqual([
		['free', undefined],
		['refused', 5_000],
	]);
});

test('an accepted job keeps its slot', () => {
	const { permit, heard } = setUp();
	permit.accepted(job('gen_1'));
	expect(heard).toEqual([['accepted', 'gen_1']]);
});

test('a refusal is reported with the time that the service asks for, before the slot is free', () => {
	const { permit, heard } = setUp();
	permit.refused(5_000);
	expect(heard).toEqual([
		['refused', 5_000],
		['free', undefined],
	]);
});

test('a job that runs on unattended keeps the slot, which is then freed as its own', () => {
	const { permit, heard } = setUp();
	permit.abandon(job('gen_1'));
	permit.abandon(job('gen_2'));
	expect(heard).toEqual([['abandon', 'gen_1', true]]);
	permit.release();
	expect(heard.slice(1)).toEqual([['free', 'gen_1']]);
});

test('one that has another slot already needs no second', () => {
	const { permit, heard } = setUp(false);
	permit.abandon(job('gen_1'));
	permit.abandon(job('gen_1'));
	expect(heard).toEqual([
		['abandon', 'gen_1', true],
		['free', undefined],
	]);
});

test('a slot that was released is nobody’s to keep', () => {
	const { permit, heard } = setUp();
	permit.release();
	permit.abandon(job('gen_1'));
	expect(heard).toEqual([['free', undefined]]);
});
