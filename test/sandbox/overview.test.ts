import { BODIES } from './support/bodies';
import { anImage, harnessForEach, type Harness } from './support/harness';

let service: Harness;
harnessForEach((started) => {
	service = started;
});

const EXECUTION = 'https://n8n.example.com/workflow/abc/executions/12';
const headers = { 'x-n8n-execution': EXECUTION };

const look = async (search = '') =>
	(await service.admin('GET', `/overview?search=${encodeURIComponent(search)}`)).body;

const idsIn = ({ newest }: { newest: Array<{ id: string }> }) => newest.map(({ id }) => id);

/** More jobs than the page shows of them; the limit of jobs at once is lifted. */
async function manyJobs(): Promise<string[]> {
	await service.admin('PATCH', '/settings', { concurrentJobs: 100 });
	const ids: string[] = [];
	for (let index = 1; index <= 45; index += 1) {
		const body = anImage({ prompt: `picture no-${index} of 45` });
		ids.push((await service.post('/generations', body)).body.id);
	}
	return ids;
}

test('totals are of all jobs, credits, files and requests, not of what is shown', async () => {
	await manyJobs();
	service.pass(60);
	await service.post('/generations', anImage());
	await service.get('/credits', { key: service.keys.unentitled });
	const { totals, made, jobs } = await look();
	expect(totals).toEqual({
		jobs: 46,
		running: 1,
		files: 45,
		spent: 90,
		reserved: 2,
		requests: 47,
		wrong: 1,
	});
	expect([made.total, made.newest.length, jobs.total]).toEqual([45, 40, 46]);
});

test('a search finds what is no longer shown, by all of its words', async () => {
	const [first = ''] = await manyJobs();
	const ofAll = await look();
	expect(idsIn(ofAll.running)).not.toContain(first);
	expect(idsIn(ofAll.requests)).toHaveLength(40);
	// 1, and 10 to 19.
	expect((await look('OF  no-1')).running.total).toBe(11);
	expect(idsIn((await look(`picture ${first}`)).running)).toEqual([first]);
	expect((await look(first)).requests.total).toBe(1);
	expect((await look('picture nobody')).running).toEqual({ total: 0, newest: [] });
	// What a search does not touch stays whole.
	expect((await look('nobody')).totals).toEqual(ofAll.totals);
});

test.each([
	['/generations', anImage()],
	['/speech', BODIES.createSpeech],
	['/agents/runs', BODIES.createAgentRun],
	['/personas', { source: 'describe', name: 'Fox', description: 'A fox' }],
])(
	'a job of POST %s names its request and its execution, and a repeat is not it',
	async (...row) => {
		const [path, body] = row;
		const given = { headers: { ...headers, 'idempotency-key': 'k' } };
		const { id } = (await service.post(path, body, given)).body;
		const other = { headers: { 'idempotency-key': 'k' } };
		expect((await service.post(path, body, other)).body.id).toBe(id);
		await service.get(`/jobs/${id}`);
		const { jobs, requests } = await look(id);
		const [read, repeat, creation] = requests.newest;
		expect([read, repeat, creation]).toMatchObject([
			{ resource: id, path: `/v1/jobs/${id}`, execution: null },
			{ resource: id, execution: null },
			{ resource: id, execution: EXECUTION },
		]);
		expect(jobs.newest).toMatchObject([{ id, request: creation.id, execution: EXECUTION }]);
		expect((await look('executions/12')).jobs.total).toBe(1);
	},
);

test.each([
	['javascript:alert(1)//executions/1'],
	['https://n8n.example.com/" onclick="x/executions/1'],
	['12'],
])('what is no address of an execution is not shown as one: %s', async (text) => {
	const sent = { headers: { 'x-n8n-execution': text } };
	await service.post('/generations', anImage(), sent);
	expect((await look()).requests.newest).toMatchObject([{ execution: null }]);
});
