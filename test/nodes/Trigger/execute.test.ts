import type { IExecuteFunctions } from 'n8n-workflow';
import { execute } from '../../../nodes/Trigger/execute';
import { triggerContext, triggerFixture, type TriggerFixture } from '../../support/triggerContext';

const whole = {
	id: 'gen_1',
	object: 'generation',
	status: 'completed',
	mode: 'image',
	error: null,
};

function worldOf(
	payload: object,
	options: object,
	more: Partial<TriggerFixture> = {},
): TriggerFixture {
	const json = { event: 'generation.completed', payload: payload as never };
	return triggerFixture({
		parameters: { options },
		input: [{ json }],
		answer: () => ({ statusCode: 200, body: whole }),
		mode: 'retry',
		...more,
	});
}

const run = async (world: TriggerFixture) =>
	await execute.call(
		triggerContext<IExecuteFunctions>(world, { getExecutionCancelSignal: () => undefined }),
	);

const event = (object: object, type = 'generation.completed') => ({
	id: 'evt',
	type,
	data: { object },
});

test('without an option the item passes as it is and nothing is asked', async () => {
	const world = worldOf(event({ id: 'gen_1' }), {});
	expect(await run(world)).toEqual([world.input]);
	expect(world.requests).toEqual([]);
});

test.each([
	[{ id: 'a', object: 'generation' }, 'generation.completed', '/generations/a'],
	[{ id: 'a', object: 'speech_generation' }, 'generation.completed', '/speech/a'],
	[{ id: 'a' }, 'generation.completed', '/jobs/a'],
	[{ id: 'a' }, 'agent.completed', '/agents/runs/a'],
	[{ id: 'a' }, 'persona.ready', '/personas/a'],
	[{ id: 'a' }, 'voice.created', '/voices/a'],
	[{ id: '../a b' }, 'voice.created', '/voices/..%2Fa%20b'],
	[{ id: 'a', object: 'constructor' }, 'x.y', '/jobs/a'],
])('the resource of %j in %s is read at %s', async (resource, type, path) => {
	const answer = () => ({ statusCode: 200, body: { ...whole, id: resource.id } });
	const world = worldOf(event(resource, type), { fetchResource: true }, { answer });
	const [[item] = []] = await run(world);
	expect(world.requests.map(({ url }) => url)).toEqual([path]);
	expect(item?.json.resource).toMatchObject({ status: 'completed' });
});

test('what the filters do not want after all leaves no item', async () => {
	expect(await run(worldOf(event({ id: 'gen_1' }), { modes: ['video'] }))).toEqual([[]]);
	const [kept] = await run(worldOf(event({ id: 'gen_1' }), { modes: ['image'] }));
	expect(kept).toHaveLength(1);
	expect(kept?.[0]?.json).not.toHaveProperty('resource');
});

test('an event without a resource is given without one', async () => {
	const world = worldOf({ type: 'x' }, { fetchResource: true });
	const [[item] = []] = await run(world);
	expect(item?.json).toMatchObject({ event: 'generation.completed', resource: null });
	expect(world.requests).toEqual([]);
});

test('a resource that cannot be read fails the execution and is named; with Continue On Fail the event stays, with the error', async () => {
	const gone = { answer: () => ({ statusCode: 404, body: {} }) };
	const options = { fetchResource: true };
	await expect(run(worldOf(event({ id: 'gen_1' }), options, gone))).rejects.toThrow(
		/Not found.*gen_1/,
	);
	const [[item] = []] = await run(
		worldOf(event({ id: 'gen_1' }), options, { ...gone, continueOnFail: true }),
	);
	expect(item?.json).toMatchObject({
		event: 'generation.completed',
		error: expect.stringMatching(/^Not found \(job gen_1\)$/),
		details: { jobId: 'gen_1', httpStatus: 404 },
	});
	expect(item).not.toHaveProperty('error');
	expect(item?.pairedItem).toEqual({ item: 0 });
});

test('a key echoed by the service is masked', async () => {
	const world = worldOf(event({ id: 'gen_1' }), { fetchResource: true });
	world.answer = () => ({
		statusCode: 200,
		body: { ...whole, echo: String(world.credential.apiKey) },
	});
	expect(JSON.stringify(await run(world))).not.toContain('canary-key');
});
