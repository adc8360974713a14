'use strict';
// Runs one command and ends it when whoever started us goes away, however that happens: our standard
// input is a pipe from the starter, and the kernel closes it even after SIGKILL. Without this a killed
// `npm start` or test run leaves an n8n behind that holds its port and its database.
const { spawn } = require('node:child_process');

const graceMs = Number(process.env.LAB_GUARD_GRACE_MS || 10_000);
const [command, ...args] = process.argv.slice(2);
// The fourth is our starter's: it sees the end of the command there, also after we were killed with it.
const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe', 3] });

// Passed on, not inherited: n8n hangs in its shutdown when it can no longer print what it does.
for (const name of ['stdout', 'stderr']) {
	child[name].pipe(process[name]);
	process[name].on('error', () => child[name].resume());
}

let ending = false;
function end() {
	if (ending) return;
	ending = true;
	child.kill('SIGTERM');
	// The whole group, n8n's task runners included: we are its leader.
	setTimeout(() => {
		if (process.platform === 'win32') child.kill('SIGKILL');
		else process.kill(0, 'SIGKILL');
	}, graceMs).unref();
}

child.on('error', (error) => {
	console.error(error.message);
	process.exit(127);
});
child.on('exit', () => {
	ending = true;
	// What it started itself (n8n's task runners) may outlive a crash and hold the output open.
	if (process.platform !== 'win32') process.kill(0, 'SIGTERM');
});
child.on('close', (code, signal) => process.exit(code ?? (signal === 'SIGTERM' ? 143 : 137)));

process.stdin.on('end', end).on('error', end).resume();
process.on('SIGTERM', end);
process.on('SIGINT', end);
