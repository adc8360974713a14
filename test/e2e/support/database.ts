/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import path from 'node:path';
import { run } from '../../../lab/process/process';
import { newest } from '../../../lab/n8n/release';

/** In the lab's Node, as ours may have no sqlite. */
const SCRIPT = `
	const { DatabaseSync } = require('node:sqlite');
	const database = new DatabaseSync(process.argv[1]);
	database.exec('PRAGMA busy_timeout = 60000');
	database.exec(process.argv[2]);
	database.close();
`;

/** Counting to this takes sqlite seconds, on any machine. */
const LONG = 15_000_000;

/** Makes n8n's database slow to take executions, and not take them in the end. */
export async function slowDown(userFolder: string): Promise<void> {
	await execute(
		userFolder,
		`CREATE VIEW numbers AS WITH RECURSIVE counted(x) AS
			(SELECT 1 UNION ALL SELECT x + 1 FROM counted WHERE x < ${LONG}) SELECT x FROM counted;
		CREATE TRIGGER slow BEFORE INSERT ON execution_entity BEGIN
			SELECT count(*) FROM numbers;
			SELECT RAISE(ABORT, 'no room');
		END;`,
	);
}

/** Makes it as before. */
export async function speedUp(userFolder: string): Promise<void> {
	await execute(userFolder, 'DROP TRIGGER slow; DROP VIEW numbers;');
}

/** Lets every execution that waits for a time go on so many seconds from now; n8n has to be down. */
export async function endWaitsIn(userFolder: string, seconds: number): Promise<void> {
	await execute(
		userFolder,
		`UPDATE execution_entity SET waitTill = strftime('%Y-%m-%d %H:%M:%f', 'now', '+${seconds} seconds')
			WHERE status = 'waiting';`,
	);
}

async function execute(userFolder: string, sql: string): Promise<void> {
	const file = path.join(userFolder, '.n8n', 'database.sqlite');
	const args = ['-e', SCRIPT, file, sql];
	const { code, output } = await run(newest.node, args, { cwd: userFolder });
	if (code !== 0) throw new Error(`The database did not take it: ${output}`);
}
