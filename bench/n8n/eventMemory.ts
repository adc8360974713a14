/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from '../../lab/n8n/queue';
import { run } from '../../lab/process/process';
import { newest as release } from '../../lab/n8n/release';
import { percentile } from '../report/table';
import { post, publishTrigger } from './events';

/**
 * What asking n8n's database whether an event is the first adds to an execution in queue mode, in a
 * memory that holds events already: the time of the trigger's node, which does nothing else here.
 * n8n gives it in whole milliseconds. Run with
 * `tsx bench/n8n/eventMemory.ts [remembered events] [measured events]`.
 */

/** Fills the record as that many events would. In the lab, which has n8n's driver for PostgreSQL. */
const FILL = `
	const { createHash } = require('node:crypto');
	const { Client } = require('pg');
	const [workflow, node, events] = process.argv.slice(1);
	const hashOf = (event) => createHash('md5').update(String(event)).digest('base64');
	const hashes = Array.from({ length: Number(events) }, (_, event) => hashOf(event));
	(async () => {
		const client = new Client({
			host: process.env.DB_POSTGRESDB_HOST,
			port: Number(process.env.DB_POSTGRESDB_PORT),
			user: process.env.DB_POSTGRESDB_USER,
			password: process.env.DB_POSTGRESDB_PASSWORD,
			database: process.env.DB_POSTGRESDB_DATABASE,
		});
		await client.connect();
		const insert =
			'INSERT INTO processed_data ("workflowId", context, value) VALUES ($1, $2, $3)';
		const value = JSON.stringify({ mode: 'entries', data: hashes });
		await client.query(insert, [workflow, 'n:' + node, value]);
		const counted = await client.query('SELECT count(*) FROM processed_data');
		console.log(counted.rows[0].count);
		await client.end();
	})();
`;

async function main(remembered = 5_000, measured = 400): Promise<void> {
	const queue = await Queue.start({
		workers: 1,
		env: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' },
		log: console.log,
	});
	try {
		const { rest } = queue;
		const { workflow, path } = await publishTrigger(rest);
		const [node] = workflow.nodes;
		if (!node) throw new Error('The workflow has no trigger');
		const args = ['-e', FILL, workflow.id, node.id, String(remembered)];
		const filled = await run(release.node, args, {
			cwd: release.root,
			env: { ...process.env, ...queue.env },
		});
		if (filled.code !== 0) throw new Error(filled.output);
		const url = `${queue.webhooks[0]?.url}${path}`;
		const warmUp = 50;
		for (let event = 0; event < measured + warmUp; event += 1) {
			if ((await post(url)) !== 200) throw new Error('An event was refused');
			// One at a time: several at once would measure each other.
			await sleep(50);
		}
		await sleep(5_000);
		const [newest] = await rest.executions.list(workflow.id);
		const times: number[] = [];
		for (let id = Number(newest?.id); times.length < measured && id > 0; id -= 1) {
			const { data } = await rest.executions.get(String(id));
			const [ran] = data.resultData.runData[node.name] ?? [];
			if (ran) times.push(ran.executionTime);
		}
		console.log(
			`${remembered} events remembered in ${filled.output.trim()} rows, ${times.length} executions: ` +
				[0.5, 0.9, 0.99].map((part) => `p${part * 100} ${percentile(times, part)} ms`).join(', ') +
				` (load of the machine ${os.loadavg()[0]?.toFixed(1)} on ${os.cpus().length} cores)`,
		);
	} finally {
		await queue.stop();
	}
}

void main(...process.argv.slice(2).map(Number));
