/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { NodeRun } from '../../support/nodeContext';
import { answer, errorBody } from '../../model/answers';
import { byId, clock, ended, setUp } from '../../support/serviceRun';

jest.mock('../../../src/base/clock', () => jest.requireActual('../../support/virtualTime'));

/* What was lost is kept for a day. The data of its execution, which may be of any size, must not be. */

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const given = { model: byId('m'), prompt: 'a cat', downloadOutputs: false };

const TOOL = 'n8n-nodes-mediagen.mediaGenTool';

const WITHOUT_CONTEXT = {
	getContext() {
		throw new Error('`executionData` is not initialized');
	},
};

/** How an execution ends; all but the first have lost a request. */
const WAYS: Record<
	string,
	(t: ReturnType<typeof setUp>, run: Partial<NodeRun>) => Promise<unknown>
> = {
	'all has ended well': async (t, run) => await ended(t.run(run, { prompt: 'fine' })),
	'a run fails': async (t, run) => await ended(t.run(run)),
	'a row fails': async (t, run) => await ended(t.run({ ...run, continueOnFail: true })),
	'a click in the editor fails': async (t, run) => await ended(t.run({ ...run, mode: 'manual' })),
	'an agent has heard no end': async (t, run) => {
		await ended(t.run({ ...run, nodeType: TOOL }, { prompt: 'slow' }));
	},
	"a call of n8n's own Agents fails": async (t, run) =>
		await ended(t.run({ ...run, nodeType: TOOL, executionId: '', lacking: WITHOUT_CONTEXT })),
	'an execution is stopped': async (t, run) => {
		const stop = new AbortController();
		const running = ended(t.run({ ...run, signal: stop.signal }, { prompt: 'slow' }));
		await clock.pass(1_000);
		stop.abort();
		await running;
	},
};

async function endOf(way: string): Promise<WeakRef<object>> {
	const t = setUp({
		given,
		service: { jobMs: () => 60_000 },
		answers: ({ body }) =>
			(body as { prompt?: string } | undefined)?.prompt === 'a cat'
				? answer(400, errorBody('No such model'))
				: undefined,
	});
	// Whoever holds n8n's functions for a node holds this, with all data of the execution.
	const hints: NodeRun['hints'] = [];
	const { signal } = new AbortController();
	await WAYS[way]?.(t, { workflowId: `memory: ${way}`, hints, nodeMemory: {}, signal });
	// Until whatever it has waited for is over.
	await clock.pass(3_600_000);
	return new WeakRef(hints);
}

test.each(Object.keys(WAYS))('nothing of an execution stays in memory once %s', async (way) => {
	const ofExecution = await endOf(way);
	await new Promise((resolve) => setImmediate(resolve));
	collectGarbage();
	expect(ofExecution.deref()).toBeUndefined();
});

/** A call of an agent is answered before its job has ended, and never made again. */
async function fileOfLateCall(): Promise<WeakRef<object>> {
	const t = setUp({ given: { ...given, downloadOutputs: true }, service: { jobMs: () => 60_000 } });
	const bytes = {};
	const file = { data: 'iVBORw0KGgo=', mimeType: 'image/png', bytes };
	const prepareBinaryData = jest.fn(async () => file);
	const helpers = { prepareBinaryData };
	await t.run({ workflowId: 'memory: file', nodeMemory: {}, nodeType: TOOL, helpers });
	await clock.pass(3_600_000);
	expect(prepareBinaryData).toHaveBeenCalledTimes(1);
	prepareBinaryData.mockReset();
	return new WeakRef(bytes);
}

test('the files of a call that was answered too late stay no longer than its execution', async () => {
	const file = await fileOfLateCall();
	await new Promise((resolve) => setImmediate(resolve));
	collectGarbage();
	expect(file.deref()).toBeUndefined();
});
