/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import express from 'express';
import { once } from 'events';
import { stringify } from 'flatted';
import type { Server } from 'http';
import type { AddressInfo } from 'net';
import { newest } from '../../../lab/n8n/release';
import { Rest } from '../../../lab/n8n/rest';
import { demoOwner } from '../../../lab/n8n/instance';

const saved = { id: 'w', versionId: 'v', name: 'W', nodes: [], connections: {}, active: false };

let server: Server;
let calls: Array<[call: string, body: unknown]>;

/** So much of n8n's REST interface as a sign-in, a run and a publication take. */
async function n8n(callsBeforeReady = 0): Promise<string> {
	calls = [];
	let early = callsBeforeReady;
	const app = express();
	app.use(express.json());
	app.use((request, response, next) => {
		if (early > 0) {
			early -= 1;
			// What express says of an address that nobody has registered.
			response.status(404).send(`<pre>Cannot ${request.method} ${request.path}</pre>`);
			return;
		}
		calls.push([`${request.method} ${request.path}`, request.body]);
		next();
	});
	app.post('/rest/owner/setup', (_, response) => void response.sendStatus(400));
	app.post('/rest/login', (_, response) => {
		response.setHeader('set-cookie', 'n8n-auth=1; Path=/').json({ data: {} });
	});
	app.get('/rest/workflows/w', (_, response) => void response.json({ data: saved }));
	app.post('/rest/workflows/w/run', (_, response) => {
		response.json({ data: { executionId: '7' } });
	});
	app.get('/rest/workflows/w/publication-status', (_, response) => {
		response.json({ data: { status: 'published', triggers: [] } });
	});
	let data = '[]';
	app.get('/rest/executions/7', (_, response) => {
		response.json({ data: { id: '7', status: 'success', data } });
		data = stringify({ resultData: { runData: {} } });
	});
	app.use((_, response) => void response.json({ data: {} }));
	server = app.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(() => {
	server.closeAllConnections();
	server.close();
});

const paths = () => calls.map(([call]) => call.replace('/rest/workflows/w', ''));

test('a sign-in waits for an n8n that says that it is ready before it is', async () => {
	const rest = await Rest.signIn(await n8n(2), demoOwner);
	expect(paths()).toEqual(['POST /rest/owner/setup', 'POST /rest/login']);
	expect(rest.session.ticket.cookie).toBe('n8n-auth=1');
});

test('an execution has ended once its data is stored too, which an n8n 1 does after its status', async () => {
	const rest = await Rest.signIn(await n8n(), demoOwner);
	expect((await rest.executions.wait('7')).data.resultData.runData).toEqual({});
});

test.each(['1.123.81', '2.0.3'])(
	'n8n %s is sent the workflow to run, and publishes at once',
	async (version) => {
		const rest = await Rest.signIn(await n8n(), demoOwner, { ...newest, version });
		calls = [];
		expect(await rest.workflows.run('w', 'Start')).toBe('7');
		await rest.workflows.publish(saved);
		await rest.workflows.unpublish('w');
		expect(paths()).toEqual(['GET ', 'POST /run', 'POST /activate', 'POST /deactivate']);
		expect(calls[1]?.[1]).toEqual({
			triggerToStartFrom: { name: 'Start' },
			workflowData: saved,
		});
	},
);

test('n8n 2.41 runs what is saved, and is asked until it has published', async () => {
	const rest = await Rest.signIn(await n8n(), demoOwner);
	calls = [];
	expect(await rest.workflows.run('w', 'Start')).toBe('7');
	await rest.workflows.publish(saved);
	expect(paths()).toEqual(['POST /run', 'POST /activate', 'GET /publication-status']);
	expect(calls[0]?.[1]).toEqual({ triggerToStartFrom: { name: 'Start' } });
});
