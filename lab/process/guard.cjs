'use strict';
// Runs one command and ends it when whoever started us goes away, however that happens: our standard
// input is a pipe from the starter, and the kernel closes it even after SIGKILL. Without this a killed
// `npm start` or test run leaves an n8n behind that holds its port and its database.
const { spawn } = require('node:child_process');

const [graceMs, command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
// The whole group is n8n with its task runners, and we are its leader.
const signal = (name) => (process.platform === 'win32' ? child.kill(name) : process.kill(0, name));

let ending = false;
function end() {
	if (ending) return;
	ending = true;
	child.kill('SIGTERM');
	setTimeout(() => signal('SIGKILL'), Number(graceMs)).unref();
}
process.on('SIGTERM', end).on('SIGINT', end);
// As a crash: we stay until it is gone, sockets and all.
process.on('SIGUSR2', () => child.kill('SIGKILL'));
process.stdin.on('end', end).on('error', end).resume();
child.on('error', (error) => {
	console.error(error.message);
	process.exit(127);
});
child.on('exit', (code, killedBy) => {
	ending = true;
	// Task runners may outlive a crash.
	signal('SIGTERM');
	process.exit(code ?? (killedBy === 'SIGTERM' ? 143 : 137));
});
