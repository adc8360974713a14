import type { IExecuteFunctions } from 'n8n-workflow';
import { execute as executeTrigger } from '../../nodes/Trigger/delivery';
import { execute as executePolling } from '../../nodes/PollingTrigger/poll';
import { answer, LOST } from '../model/answers';
import { clock } from '../support/serviceRun';
import { n8nRequest } from '../support/n8nRequest';
import { triggerContext, triggerFixture } from '../support/triggerContext';

jest.mock('../../src/base/clock', () => jest.requireActual('../support/virtualTime'));

/* A service or a storage that is away must not be waited for once for each event. */

const EVENTS = 100;

const job = (index: number) => ({
	id: `gen_${index}`,
	object: 'generation',
	status: 'completed',
	output_ids: ['out_1'],
	outputs: [{ id: 'out_1', url: 'https://files.example/a.png' }],
});

const all = Array.from({ length: EVENTS }, (_, index) => job(index));

/** What each of the triggers is handed, and what it carries out. */
const TRIGGERS = {
	'MediaGen Trigger': {
		execute: executeTrigger,
		input: all.map((object) => ({
			json: { payload: { id: 'evt', type: 'generation.completed', data: { object } } },
		})),
	},
	'MediaGen Polling Trigger': {
		execute: executePolling,
		input: all.map(({ id, object, status }) => ({ json: { id, object, status } })),
	},
};

const hangs = async () => {
	await clock.sleep(120_000);
	throw Object.assign(new Error('timeout of 120000ms exceeded'), { code: 'ECONNABORTED' });
};

/** What each event becomes, and how many hours that takes. */
async function outputOf(name: keyof typeof TRIGGERS, isServiceAway: boolean) {
	const { execute, input } = TRIGGERS[name];
	const world = triggerFixture({
		mode: 'trigger',
		input,
		parameters: { downloadOutputs: true, options: { downloadOutputs: true } },
		continueOnFail: true,
	});
	const request = n8nRequest(async ({ path }) => {
		await clock.sleep(100);
		const read = all.find(({ id }) => path.endsWith(`/${id}`));
		return isServiceAway || !read ? LOST : answer(200, read);
	}, hangs);
	const httpRequestWithAuthentication = async (
		_name: string,
		options: Parameters<typeof request>[0],
	) => {
		Object.assign(options.headers ?? {}, { authorization: 'Bearer' });
		return await request(options);
	};
	const context = triggerContext<IExecuteFunctions>(world, {
		getExecutionCancelSignal: () => undefined,
		helpers: { httpRequestWithAuthentication, httpRequest: request, prepareBinaryData: hangs },
	});
	const began = clock.monotonic();
	const [rows = []] = await clock.run(execute.call(context));
	return { rows, hours: (clock.monotonic() - began) / 3_600_000 };
}

describe.each(Object.keys(TRIGGERS) as Array<keyof typeof TRIGGERS>)('%s', (name) => {
	test.each([
		['service', true],
		['storage of files', false],
	])('a %s that gives no answer ends the rows of all other events', async (what, isServiceAway) => {
		const { rows, hours } = await outputOf(name, isServiceAway);
		expect(hours).toBeLessThan(0.5);
		expect(rows).toHaveLength(EVENTS);
		expect(rows.map(({ pairedItem }) => pairedItem)).toEqual(all.map((_, item) => ({ item })));
		const texts = rows.map(({ json }) => String(json.error));
		expect(texts.at(-1)).toMatch(`Not sent: the ${what} gave no answer`);
		expect(texts[0]).toMatch(isServiceAway ? /did not respond/ : /could not be downloaded/);
	});
});
