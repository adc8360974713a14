import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LabError } from '../failure';
import { shown, stateRoot } from '../paths';

const file = path.join(stateRoot, 'start.pid');

/**
 * Keeps two starts from using one n8n database. What a killed start left is taken over.
 *
 * @returns releases the lock
 * @throws LabError when another start is running
 */
export function lock(): () => void {
	mkdirSync(stateRoot, { recursive: true });
	const holder = running();
	if (holder) {
		throw new LabError(
			`npm start is running already (process ${holder}): stop it first, or remove ${shown(file)}`,
		);
	}
	writeFileSync(file, String(process.pid));
	return () => rmSync(file, { force: true });
}

function running(): number | undefined {
	try {
		const pid = Number(readFileSync(file, 'utf8'));
		process.kill(pid, 0);
		return pid === process.pid ? undefined : pid;
	} catch {
		return undefined;
	}
}
