/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import path from 'node:path';
import { run } from '../../../lab/process/command';
import { newest } from '../../../lab/n8n/release';

const SQLITE = `
	const [file, ids] = process.argv.slice(1);
	const { DatabaseSync } = require('node:sqlite');
	const database = new DatabaseSync(file);
	database.exec('PRAGMA busy_timeout = 60000');
	const moved = database
		.prepare("UPDATE execution_entity SET waitTill = '2001-01-01 00:00:00.000' WHERE id IN (SELECT value FROM json_each(?))")
		.run(ids);
	console.log('moved ' + moved.changes);
`;

/**
 * Has the time of parked executions be over: n8n, which parks for no less than a minute and looks
 * once a minute, goes on with them at its next look. While n8n runs, because at its start it may
 * take what it has just resumed for crashed.
 */
export async function makeOverdue(userFolder: string, ids: string[]): Promise<void> {
	const file = path.join(userFolder, '.n8n', 'database.sqlite');
	// With the lab's Node, which has a driver.
	const args = ['-e', SQLITE, file, JSON.stringify(ids.map(Number))];
	const { code, output } = await run(newest.node, args, { cwd: newest.root });
	if (code !== 0 || !output.includes(`moved ${ids.length}\n`)) throw new Error(output);
}
