import type { IExecuteFunctions } from 'n8n-workflow';
import { execute as executeTrigger } from '../../nodes/Trigger/delivery';
import { execute as executePolling } from '../../nodes/PollingTrigger/poll';
import { answer } from '../model/answers';
import { clock } from '../support/serviceRun';
import { n8nRequest } from '../support/n8nRequest';
import { triggerContext, triggerFixture } from '../support/triggerContext';

jest.mock('../../src/base/clock', () => jest.requireActual('../support/virtualTime'));

const job = {
	id: 'gen_1',
	object: 'generation',
	status: 'completed',
	outputs: [{ id: 'out_1', url: 'https://files.example/a.png' }],
};

test.each([
	[
		'MediaGen Trigger',
		executeTrigger,
		{ payload: { id: 'evt', type: 'generation.completed', data: { object: job } } },
	],
	['MediaGen Polling Trigger', executePolling, job],
])(
	'%s downloads a file once in an execution: Retry On Fail finds it, a Retry downloads it again',
	async (_, execute, json) => {
		let downloads = 0;
		const request = n8nRequest(
			async () => await Promise.resolve(answer(200, job)),
			async () => {
				await clock.sleep(100);
				downloads += 1;
			},
		);
		const world = triggerFixture({
			mode: 'retry',
			input: [{ json }],
			parameters: { downloadOutputs: true, options: { downloadOutputs: true } },
		});
		const executionOf = () =>
			triggerContext<IExecuteFunctions>(world, {
				getExecutionCancelSignal: () => undefined,
				helpers: {
					async httpRequestWithAuthentication(
						_name: string,
						options: Parameters<typeof request>[0],
					) {
						Object.assign(options.headers ?? {}, { authorization: 'Bearer' });
						return await request(options);
					},
					httpRequest: request,
					prepareBinaryData: async () =>
						await Promise.resolve({ data: 'x', mimeType: 'image/png' }),
				},
			});
		const execution = executionOf();
		const filesOf = async (context: IExecuteFunctions) => {
			const [rows = []] = await clock.run(execute.call(context));
			return rows.map(({ binary }) => binary);
		};
		const files = await filesOf(execution);
		expect(files).toMatchObject([{ data: { data: 'x' } }]);
		expect(await filesOf(execution)).toEqual(files);
		expect(downloads).toBe(1);
		await filesOf(executionOf());
		expect(downloads).toBe(2);
	},
);
