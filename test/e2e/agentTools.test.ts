import type { INodeParameters } from 'n8n-workflow';
import type { Execution } from '../../lab/n8n/rest';
import {
	agentWorkflow,
	CALLERS,
	triggerName,
	type AgentRun,
	type Caller,
} from './support/agentWorkflow';
import { closing, ownSandbox } from './support/ownSandbox';
import { rest } from './support/harness';
import { createParameters } from './support/media';
import { ModelServer, type ModelCall, type Script } from '../../lab/model/server';

/** How the editor stores a field that the AI fills in. */
const fromAI = (key: string) =>
	`={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('${key}', \`\`, 'string') }}`;

const picture = (more: INodeParameters = {}) =>
	createParameters({ prompt: fromAI('prompt'), ...more });

/** Rounds of prompts, those of a round at the same time. */
const pictures = (...rounds: string[][]): Script => ({
	rounds: rounds.map((prompts) => prompts.map((prompt) => ({ args: { prompt } }))),
});

interface Asked {
	execution: Execution;
	calls: ModelCall[];
	/** The prompt of each job that credits were reserved for, in alphabetical order. */
	charged: string[];
	/** The prompt of the job that each call was answered with, by what it had asked for. */
	answered: Array<[asked: unknown, got: string | undefined]>;
}

/** A service and a model of a test's own. */
async function startWorld() {
	// So that a call is over when it is first looked at.
	const own = await ownSandbox({ jobSeconds: { image: 1 } });
	const { sandbox, credential } = own;
	const model = await ModelServer.start();
	closing.push(model.close);
	const openAi = { apiKey: 'none', url: model.baseUrl };
	const modelCredential = await rest.credentials.create('openAiApi', 'Scripted model', openAi);
	const ask = async (
		caller: Caller,
		scripts: Script[],
		more: Partial<AgentRun> = {},
	): Promise<Asked> => {
		const run = { caller, scripts, parameters: picture(), ...more };
		const workflow = agentWorkflow({ ...run, model: modelCredential, mediaGen: credential });
		const { id } = await rest.workflows.create(workflow);
		const execution = await rest.executions.wait(await rest.workflows.run(id, triggerName));
		const calls = model.takeCalls();
		const prompts = new Map((await sandbox.jobs()).map(({ id: job, text }) => [job, text]));
		const paid = await own.charged();
		return {
			execution,
			calls,
			charged: paid.map(({ resource }) => prompts.get(resource ?? '') ?? 'unknown').sort(),
			answered: calls.map(({ args, answer = '' }) => {
				const job = /"id":"([^"]+)"/.exec(answer)?.[1];
				return [args.prompt, prompts.get(job ?? '')];
			}),
		};
	};
	return { sandbox, model, ask };
}

const right = (prompts: string[]) => prompts.map((prompt) => [prompt, prompt]);

const byCaller = it.concurrent.each(CALLERS);

byCaller(
	'as a tool of %s: each call makes its picture, in one message, in the next one with the same prompt, and for other items of the parent',
	async (caller) => {
		const { ask } = await startWorld();
		const { execution, calls, charged, answered } = await ask(caller, [
			pictures(['a cat', 'a dog', 'a fox'], ['a cat']),
			pictures(['a boat', 'a car']),
			pictures(['a tree']),
		]);
		expect(execution.status).toBe('success');
		const prompts = ['a boat', 'a car', 'a cat', 'a cat', 'a dog', 'a fox', 'a tree'];
		expect(charged).toEqual(prompts);
		expect([...answered].sort()).toEqual(right(prompts));
		const ids = calls.map(({ answer = '' }) => /"id":"([^"]+)"/.exec(answer)?.[1]);
		expect(new Set(ids).size).toBe(prompts.length);
	},
);

byCaller('as a tool of %s: a failed job costs one job and spoils no other call', async (caller) => {
	const { ask, sandbox } = await startWorld();
	await sandbox.setFaults([{ kind: 'job_fail', contains: 'bad' }]);
	const { calls, charged, answered } = await ask(caller, [pictures(['bad'], ['good'])]);
	expect(calls[0]?.answer).toMatch(
		/The job failed: .*has reserved 2 credits.*Another call creates a new job, which is paid for/,
	);
	expect(charged).toEqual(['bad', 'good']);
	expect(answered[1]).toEqual(['good', 'good']);
});

byCaller(
	'as a tool of %s: a model hears that a job that it cannot see is paid for, and gets it by the same call',
	async (caller) => {
		const { ask, sandbox } = await startWorld();
		await sandbox.setFaults([
			{ kind: 'status_before', operations: ['getGeneration'], status: 403, times: 1 },
		]);
		const twice = pictures(['a red car'], ['a red car']);
		const { calls, charged, answered } = await ask(caller, [twice]);
		expect(calls[0]?.answer).toMatch(
			/has reserved 2 credits.*call this tool again with exactly the same arguments/,
		);
		expect(charged).toEqual(['a red car']);
		expect(answered[1]).toEqual(['a red car', 'a red car']);
	},
);

byCaller(
	'as a tool of %s: Retry On Fail continues with the job that was paid for',
	async (caller) => {
		const { ask, sandbox } = await startWorld();
		await sandbox.setFaults([
			{ kind: 'status_before', operations: ['getGeneration'], status: 403, times: 1 },
		]);
		const { charged, answered } = await ask(caller, [pictures(['a red car'])], {
			retry: { maxTries: 3, waitBetweenTries: 10 },
		});
		expect(charged).toEqual(['a red car']);
		expect(answered).toEqual(right(['a red car']));
	},
);

it.concurrent('items that Agent 3.1 works on at the same time get their own pictures', async () => {
	const { ask } = await startWorld();
	const prompts = ['a red car', 'a blue boat', 'a green tree', 'a black cat', 'a grey rock'];
	const { charged, answered } = await ask(
		'Agent 3.1',
		prompts.map((prompt) => pictures([prompt, `${prompt} again`])),
		{ batchSize: 5 },
	);
	const all = prompts.flatMap((prompt) => [prompt, `${prompt} again`]).sort();
	expect(charged).toEqual(all);
	expect([...answered].sort()).toEqual(right(all).sort());
});

it.concurrent(
	'where n8n mixes up the calls of Agent 2.2, what has the arguments of another is refused',
	async () => {
		const { ask } = await startWorld();
		const { calls, charged, answered } = await ask(
			'Agent 2.2',
			[pictures(['car']), pictures(['boat'])],
			{ batchSize: 2, parameters: picture({ prompt: "=A {{ $fromAI('prompt') }} at sea" }) },
		);
		expect(charged).toHaveLength(1);
		expect(calls.map(({ answer }) => answer).join()).toContain(
			'What the AI has filled in is mixed up with another call of this tool',
		);
		expect(answered.filter(([, got]) => got !== undefined)).toHaveLength(1);
	},
);

const get = { operation: 'get', generationId: { __rl: true, mode: 'id', value: fromAI('id') } };
const others = {
	'Look up': { node: 'mediaGen', parameters: get },
	List: { node: 'mediaGen', parameters: { operation: 'getAll', limit: 5 } },
	Speak: { node: 'mediaGenSpeech', parameters: { operation: 'create' } },
};

it.concurrent(
	'asked for a picture, an agent finds the operation by what it does, waits and gets the link',
	async () => {
		const { ask, model } = await startWorld();
		const script = { rounds: [[{ about: 'Generate an image', args: { prompt: 'a red car' } }]] };
		const { calls, charged } = await ask('Agent 3.1', [script], { others });
		const descriptions = model.offered.map(({ description }) => description);
		expect(new Set(descriptions).size).toBe(4);
		expect(descriptions.filter((text) => text.startsWith('Generate an image'))).toHaveLength(1);
		expect(charged).toEqual(['a red car']);
		const [answer] = JSON.parse(calls[0]?.answer ?? '[]') as Array<Record<string, unknown>>;
		expect(answer).toMatchObject({
			status: 'completed',
			url: expect.stringMatching(/^http/) as string,
		});
		expect(Object.keys(answer ?? {}).sort()).toEqual(
			['estimated_credits', 'id', 'mode', 'model', 'object', 'status', 'url'].sort(),
		);
	},
);

it.concurrent(
	'when a job takes too long, an agent keeps waiting by a second call, which is not charged',
	async () => {
		const { ask, sandbox } = await startWorld();
		await sandbox.settings({ jobSeconds: { image: 300 }, jobJitter: 0 });
		const { calls, charged } = await ask('Agent 3.1', [pictures(['a red car'], ['a red car'])], {
			parameters: picture({ options: { waitTimeout: 0.04 } }),
		});
		expect(charged).toEqual(['a red car']);
		const answers = calls.map(({ answer = '[]' }) => JSON.parse(answer) as Array<{ id: string }>);
		expect(answers[0]?.[0]).toMatchObject({
			next: expect.stringMatching(/same arguments/) as string,
		});
		expect(answers[1]?.[0]?.id).toBe(answers[0]?.[0]?.id);
	},
);

it.concurrent('an agent behind a MediaGen node sees the picture that was made', async () => {
	const { ask, model } = await startWorld();
	const first = createParameters({ prompt: 'a red car', options: { includeInputFields: true } });
	const { charged, execution } = await ask('Agent 3.1', [pictures()], { first });
	expect(execution.status).toBe('success');
	expect(charged).toEqual(['a red car']);
	expect(model.shown).toEqual([expect.stringMatching(/^data:image\/png;base64,/) as string]);
});
