import { Clock } from '../../sandbox/clock';
import { ManualTimers } from './support/manualTimers';

const start = (scale = 1) => {
	const timers = new ManualTimers();
	const clock = new Clock(scale, timers);
	const ran: number[] = [];
	const after = (seconds: number) => clock.after(seconds, () => ran.push(seconds));
	return { timers, clock, ran, after };
};

test('durations are service seconds, instants are wall clock', () => {
	const { timers, clock, ran, after } = start(60);
	after(60);
	expect(clock.ahead(60)).toBe(timers.now() + 1000);
	timers.pass(0.999);
	expect(ran).toEqual([]);
	timers.pass(0.001);
	expect(ran).toEqual([60]);
});

test('what is due first runs first', () => {
	const { timers, ran, after } = start();
	after(3);
	after(1);
	timers.pass(5);
	expect(ran).toEqual([1, 3]);
});

test('longer than a timer of the host can wait', () => {
	const { timers, ran, after } = start();
	const days = 60 * 86_400;
	after(days);
	timers.pass(days - 1);
	expect(ran).toEqual([]);
	timers.pass(1);
	expect(ran).toEqual([days]);
});

test('a new scale keeps the service time that remains', () => {
	const { timers, clock, ran, after } = start();
	after(100);
	timers.pass(40);
	clock.rescale(10);
	timers.pass(5.9);
	expect(ran).toEqual([]);
	timers.pass(0.1);
	expect(ran).toEqual([100]);
});

test('once stopped it forgets all and takes nothing new', () => {
	const { timers, clock, ran, after } = start();
	after(1);
	clock.stop();
	after(1);
	timers.pass(10);
	expect(ran).toEqual([]);
});
