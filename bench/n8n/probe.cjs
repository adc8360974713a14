/*
 * Loaded into n8n (NODE_OPTIONS=--require): each SIGUSR2 begins or ends a CPU profile, which goes into the file BENCH_PROFILE,
 * with every time in which n8n's event loop stood still. All times are in microseconds on the monotonic clock.
 */
const { renameSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');

const file = process.env.BENCH_PROFILE;
const LOOK_MS = 5;
const STILL_US = 20_000;
let session;
let looking;
let gaps;

const monotonic = () => Number(process.hrtime.bigint() / 1000n);

function look() {
	let last = monotonic();
	gaps = [];
	looking = setInterval(() => {
		const now = monotonic();
		if (now - last > STILL_US) gaps.push({ from: last, to: now });
		last = now;
	}, LOOK_MS);
}

function toggle() {
	if (session) {
		clearInterval(looking);
		session.post('Profiler.stop', (error, stopped) => {
			if (error) throw error;
			const wallAhead = Date.now() * 1000 - monotonic();
			// Whoever waits for the file finds it whole.
			writeFileSync(`${file}.part`, JSON.stringify({ ...stopped.profile, gaps, wallAhead }));
			renameSync(`${file}.part`, file);
			session.disconnect();
			session = undefined;
		});
		return;
	}
	session = new Session();
	session.connect();
	session.post('Profiler.enable');
	session.post('Profiler.setSamplingInterval', { interval: 200 });
	session.post('Profiler.start');
	look();
}

// n8n's helpers inherit the variable, too; only n8n itself gets the signal.
if (file) process.on('SIGUSR2', toggle);
