import { harnessForEach, type Harness } from './support/harness';

let service: Harness;
harnessForEach((started) => {
	service = started;
});

const create = async (more: object = {}) =>
	await service.post('/agents/runs', { brief: 'A film about a fox', ...more });
const approve = async (id: string, body: object = { max_credits: 50 }) =>
	await service.post(`/agents/runs/${id}/approve`, body);
const review = async (id: string, decision: string) =>
	await service.post(`/agents/runs/${id}/review`, { decision });
const read = async (id: string) => (await service.get(`/agents/runs/${id}`)).body;
const balance = async () => (await service.get('/credits')).body;

test('a plan costs one credit; approved it reserves its budget, works, waits for review, is assembled', async () => {
	const { status, body: proposed } = await create();
	expect(status).toBe(201);
	expect(proposed).toMatchObject({ status: 'plan_proposed', estimated_credits: 36 });
	expect(await balance()).toMatchObject({ available: 9_999, reserved: 0, spent: 1 });
	const { id } = proposed;

	const approved = await approve(id);
	expect([approved.status, approved.body.status]).toEqual([202, 'queued']);
	expect(await balance()).toMatchObject({ available: 9_949, reserved: 50, spent: 1 });

	service.pass(15);
	expect((await read(id)).status).toBe('running');
	service.pass(60);
	const waiting = await read(id);
	expect(waiting).toMatchObject({ status: 'awaiting_review', spent_credits: 37 });
	expect(waiting.outputs).toHaveLength(4);
	expect(await balance()).toMatchObject({ available: 9_963, reserved: 0, spent: 37 });

	const { status: accepted, body: run } = await review(id, 'assemble');
	expect([accepted, run.status, run.outputs.length]).toEqual([200, 'completed', 5]);
	const film = await fetch(run.outputs[4].url);
	expect(film.headers.get('content-type')).toBe('video/mp4');
	expect((await service.get(`/jobs/${id}`)).body).toEqual(run);
});

test('an edited plan is carried out and comes back as it was given; assets_only adds nothing', async () => {
	const { id, plan } = (await create()).body;
	const edited = { ...plan, note: { mine: [1, null] }, steps: plan.steps.slice(0, 1) };
	const { body } = await approve(id, { max_credits: 10, plan: edited });
	expect(body).toMatchObject({ plan: edited, estimated_credits: 4 });
	service.pass(100);
	expect((await review(id, 'assets_only')).body.outputs).toHaveLength(1);
});

test.each([
	['a budget that does not last', {}, 5, 5, 'budget_exhausted'],
	['a brief with [fail]', { brief: '[fail]' }, 50, 35, 'step_failed'],
])('%s fails the run and gives the rest back', async (_name, more, max_credits, spent, type) => {
	const { id } = (await create(more)).body;
	await approve(id, { max_credits });
	service.pass(100);
	const ended = { status: 'failed', spent_credits: spent, errors: [{ type }] };
	expect(await read(id)).toMatchObject(ended);
	expect(await balance()).toMatchObject({ reserved: 0, spent, available: 10_000 - spent });
});

test('one run of a workspace is live; the next one waits for it', async () => {
	const [first, second] = [(await create()).body.id, (await create()).body.id];
	await approve(first);
	expect((await approve(second)).body.status).toBe('waiting');
	service.pass(75);
	expect((await read(first)).status).toBe('awaiting_review');
	service.pass(100);
	expect((await read(second)).status).toBe('awaiting_review');
});

test('automatic approval is 202 and queued, or leaves the plan proposed with the reason', async () => {
	const applied = await create({ auto_approve: true, max_credits: 40 });
	expect(applied.status).toBe(202);
	expect(applied.body).toMatchObject({ status: 'queued', reserved_credits: 40 });

	const { status, body } = await create({ auto_approve: true, max_credits: 5 });
	expect([status, body.status]).toEqual([201, 'plan_proposed']);
	expect(body.auto_approval_error).toContain('credits');
	expect((await approve(body.id, { max_credits: 10_000 })).status).toBe(402);
});

test('a run is approved and reviewed once, at its stage, with a plan that can be carried out', async () => {
	const { id } = (await create()).body;
	expect((await review(id, 'assemble')).status).toBe(400);
	for (const steps of [[], [{ id: 'x' }]])
		expect((await approve(id, { max_credits: 10, plan: { steps } })).status).toBe(400);
	await approve(id);
	expect((await approve(id)).status).toBe(400);
	service.pass(100);
	expect((await review(id, 'assemble')).status).toBe(200);
	expect((await review(id, 'assemble')).status).toBe(400);
});
