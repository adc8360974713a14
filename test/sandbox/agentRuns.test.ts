import { harnessForEach, type Harness } from './support/harness';

let service: Harness;
harnessForEach((started) => (service = started));

const create = async (more: object = {}) =>
	await service.post('/agents/runs', { brief: 'A film about a fox', ...more });
const approve = async (id: string, body: object = { max_credits: 50 }) =>
	await service.post(`/agents/runs/${id}/approve`, body);
const review = async (id: string, decision: string) =>
	await service.post(`/agents/runs/${id}/review`, { decision });
const read = async (id: string) => (await service.get(`/agents/runs/${id}`)).body;
const balance = async () => (await service.get('/credits')).body;

test('a plan is proposed for one credit', async () => {
	const { status, body } = await create();
	expect(status).toBe(201);
	expect(body).toMatchObject({
		object: 'agent_run',
		status: 'plan_proposed',
		estimated_credits: 36,
		reserved_credits: 0,
		spent_credits: 1,
	});
	expect(body.plan.steps).toHaveLength(4);
	expect(await balance()).toMatchObject({ available: 9_999, spent: 1 });
});

test('an approved run reserves its budget, works, waits for review and is assembled', async () => {
	const { id } = (await create()).body;
	const approved = await approve(id);
	expect(approved.status).toBe(202);
	expect(approved.body).toMatchObject({ status: 'queued', max_credits: 50, reserved_credits: 50 });
	expect(await balance()).toMatchObject({ available: 9_949, reserved: 50 });
	service.pass(15);
	expect((await read(id)).status).toBe('running');
	service.pass(60);
	const waiting = await read(id);
	expect(waiting).toMatchObject({
		status: 'awaiting_review',
		spent_credits: 37,
		reserved_credits: 0,
	});
	expect(waiting.outputs).toHaveLength(4);
	expect(await balance()).toMatchObject({ available: 9_963, reserved: 0, spent: 37 });
	const { status, body } = await review(id, 'assemble');
	expect({ status, state: body.status }).toEqual({ status: 200, state: 'completed' });
	expect(body.outputs).toHaveLength(5);
	expect((await fetch(body.outputs[4].url)).headers.get('content-type')).toBe('video/mp4');
	expect((await service.get(`/jobs/${id}`)).body).toEqual(body);
});

test('assets_only completes with the assets alone', async () => {
	const { id } = (await create()).body;
	await approve(id);
	service.pass(100);
	expect((await review(id, 'assets_only')).body.outputs).toHaveLength(4);
});

test('an edited plan is carried out and comes back as it was given', async () => {
	const { id, plan } = (await create()).body;
	const edited = { ...plan, note: { mine: [1, null] }, steps: plan.steps.slice(0, 1) };
	const { body } = await approve(id, { max_credits: 10, plan: edited });
	expect(body).toMatchObject({ plan: edited, estimated_credits: 4 });
	service.pass(100);
	expect((await read(id)).outputs).toHaveLength(1);
});

test('a plan that cannot be carried out is 400 and the run stays proposed', async () => {
	const { id } = (await create()).body;
	expect((await approve(id, { max_credits: 10, plan: { steps: [] } })).status).toBe(400);
	expect((await approve(id, { max_credits: 10, plan: { steps: [{ id: 'x' }] } })).status).toBe(400);
	expect((await read(id)).status).toBe('plan_proposed');
	expect((await balance()).reserved).toBe(0);
});

test('a budget that does not last fails the run and gives the rest back', async () => {
	const { id } = (await create()).body;
	await approve(id, { max_credits: 5 });
	service.pass(100);
	expect(await read(id)).toMatchObject({
		status: 'failed',
		spent_credits: 5,
		errors: [{ type: 'budget_exhausted' }],
	});
	expect(await balance()).toMatchObject({ reserved: 0, spent: 5, available: 9_995 });
});

test('a brief with [fail] fails at its last step', async () => {
	const { id } = (await create({ brief: '[fail]' })).body;
	await approve(id);
	service.pass(100);
	expect(await read(id)).toMatchObject({ status: 'failed', spent_credits: 35 });
});

test('one run of a workspace is live; the next one waits for it', async () => {
	const first = (await create()).body.id;
	const second = (await create()).body.id;
	await approve(first);
	expect((await approve(second)).body.status).toBe('waiting');
	service.pass(15);
	expect((await read(second)).status).toBe('waiting');
	service.pass(60);
	expect((await read(first)).status).toBe('awaiting_review');
	expect((await read(second)).status).not.toBe('waiting');
	service.pass(100);
	expect((await read(second)).status).toBe('awaiting_review');
});

describe('automatic approval', () => {
	test('is 202 and queued when it applies', async () => {
		const { status, body } = await create({ auto_approve: true, max_credits: 40 });
		expect(status).toBe(202);
		expect(body).toMatchObject({ status: 'queued', max_credits: 40, reserved_credits: 40 });
		expect(body.auto_approval_error).toBeUndefined();
	});

	test('that cannot be applied leaves a proposed plan with the reason', async () => {
		const { status, body } = await create({ auto_approve: true, max_credits: 5 });
		expect(status).toBe(201);
		expect(body).toMatchObject({
			status: 'plan_proposed',
			auto_approval_error: expect.any(String),
		});
		await service.admin('POST', '/credits', { workspace: 'studio', amount: -9_990 });
		const poor = await create({ auto_approve: true });
		expect(poor.status).toBe(201);
		expect(poor.body.auto_approval_error).toContain('credits');
	});
});

test('402 without a credit for planning, or without the budget', async () => {
	const { id } = (await create()).body;
	await service.admin('POST', '/credits', { workspace: 'studio', amount: -9_999 });
	expect((await create()).status).toBe(402);
	expect((await approve(id)).status).toBe(402);
	expect((await read(id)).status).toBe('plan_proposed');
});

test('a run can be approved and reviewed only at the right stage, and only once', async () => {
	const { id } = (await create()).body;
	expect((await review(id, 'assemble')).status).toBe(400);
	await approve(id);
	expect((await approve(id)).status).toBe(400);
	service.pass(100);
	expect((await review(id, 'publish')).status).toBe(400);
	expect((await review(id, 'assemble')).status).toBe(200);
	expect((await review(id, 'assemble')).status).toBe(400);
});

test('status values can be named otherwise', async () => {
	await service.admin('PATCH', '/settings', { agentStatusNames: { plan_proposed: 'draft' } });
	expect((await create()).body.status).toBe('draft');
});
