/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
	beginningOf,
	endLeftovers,
	enter,
	ourselves,
	startsIn,
} from '../../../lab/process/running';

let state: string;
let other: ChildProcess;
beforeEach(async () => {
	state = mkdtempSync(path.join(tmpdir(), 'mediagen-running-'));
	other = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { detached: true });
	await once(other, 'spawn');
});
afterEach(async () => {
	const isOver = other.exitCode !== null || other.signalCode !== null || once(other, 'exit');
	other.kill('SIGKILL');
	await isOver;
	rmSync(state, { recursive: true, force: true });
});

const pid = () => other.pid ?? 0;
const began = () => beginningOf(pid()) ?? '';
const left = () => readdirSync(path.join(state, 'running'));

/** An owner that has ended, though its number is that of another process now. */
const gone = { pid: process.pid, began: 'long ago' };

test('what is left of an owner that is gone is ended', async () => {
	enter({ pid: pid(), began: began(), owner: gone }, state);
	expect(await endLeftovers(state)).toBe(1);
	if (other.signalCode === null) await once(other, 'exit');
	expect(other.signalCode).toBe('SIGKILL');
	expect(left()).toEqual([]);
});

test.each([
	['of an owner that is there', () => ({ began: began(), owner: ourselves }), 1],
	['that has the number of one that is gone', () => ({ began: 'long ago', owner: gone }), 0],
	['that is a start itself', () => ({ began: began() }), 1],
])('a process %s stays', async (_what, entry, entries) => {
	enter({ pid: pid(), ...entry() }, state);
	expect(await endLeftovers(state)).toBe(0);
	expect(beginningOf(pid())).toBe(began());
	expect(left()).toHaveLength(entries);
});

test('a start is one that is there, and not another process with its number', () => {
	enter({ pid: pid(), began: began() }, state);
	expect(startsIn(state)).toEqual([{ pid: pid(), began: began() }]);
	enter({ pid: pid(), began: 'long ago' }, state);
	expect(startsIn(state)).toEqual([]);
});
