'use strict';
// Runs one command, as the leader of its process group, and ends it when whoever started us goes away,
// however that happens: our standard input is a pipe from the starter, and the kernel closes it even after
// SIGKILL. Without this a killed `npm start` or test run leaves an n8n behind that holds its port and its
// database.
const { spawn } = require('node:child_process');

const [graceMs, command, ...args] = process.argv.slice(2);
const isWindows = process.platform === 'win32';
const CRASHED = 137;
const TERMINATED = 143;

let child;
let isAlone = false;

/** The starter has written down who we are: only now there is something that could be left behind. */
function begin() {
	child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
	child.on('error', (error) => {
		console.error(error.message);
		process.exit(127);
	});
	child.on('exit', (code, signal) => {
		// What the command has started, such as n8n's task runners, may outlive it. The starter ends the
		// group as soon as we are gone, and where there is none any more we do, ourselves included.
		if (isAlone && !isWindows) process.kill(0, 'SIGKILL');
		process.exit(code ?? (signal === 'SIGTERM' ? TERMINATED : CRASHED));
	});
}

function end() {
	if (child === undefined) process.exit(TERMINATED);
	child.kill('SIGTERM');
	setTimeout(() => child.kill('SIGKILL'), Number(graceMs)).unref();
}

function endAlone() {
	isAlone = true;
	end();
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, end);
// As a crash: we stay until it is gone, sockets and all.
process.on('SIGUSR2', () => {
	if (child === undefined) process.exit(CRASHED);
	child.kill('SIGKILL');
});
process.stdin.once('data', begin).on('end', endAlone).on('error', endAlone);
