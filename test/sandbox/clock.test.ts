import { Clock } from '../../sandbox/clock';
import { ManualTimers } from './support/manualTimers';

const start = () => {
	const timers = new ManualTimers();
	const clock = new Clock(1, timers);
	const ran: number[] = [];
	const after = (seconds: number) => clock.after(seconds, () => ran.push(seconds));
	return { timers, clock, ran, after };
};

test('it waits longer than a timer of the host can', () => {
	const { timers, ran, after } = start();
	const days = 60 * 86_400;
	after(days);
	timers.pass(days - 1);
	expect(ran).toEqual([]);
	timers.pass(1);
	expect(ran).toEqual([days]);
});

test('once stopped it forgets all and takes nothing new', () => {
	const { timers, clock, ran, after } = start();
	after(1);
	clock.stop();
	after(1);
	timers.pass(10);
	expect(ran).toEqual([]);
});
