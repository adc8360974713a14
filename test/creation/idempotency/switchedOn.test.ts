import type { IDataObject } from 'n8n-workflow';
import { LOST } from '../../model/answers';
import { DECIDED } from '../../support/askAgain';
import { byId, ended, setUp } from '../../support/serviceRun';

jest.mock('../../../src/base/clock', () => jest.requireActual('../../support/virtualTime'));

/*
 * A request went out with Avoid Paying Twice: Off, and its answer was lost. Then the user sets another value:
 * no key can find what that request has made.
 */

const given = { model: byId('m'), prompt: 'a cat', downloadOutputs: false };

const CHOICES = {
	'On Retries': { idempotency: 'execution' },
	'Same Request': { idempotency: 'content' },
};

describe.each(Object.keys(DECIDED))('%s', (door) => {
	test.each(Object.entries(CHOICES))(
		'after a change from Off to %s: the user is told, and then a new one is paid for, under a key',
		async (choice, changed) => {
			let isLost = true;
			const t = setUp({
				given,
				answers: async (request) => {
					if (request.method !== 'POST' || !isLost) return undefined;
					await t.model.send(request);
					return LOST;
				},
			});
			let time = 0;
			let memory: IDataObject = {};
			const ask = async (options: object) => {
				time += 1;
				const run = DECIDED[door]?.(time, memory) ?? {};
				memory = run.nodeMemory ?? memory;
				const workflowId = `switched on, ${door}, ${choice}`;
				const { items, error } = await ended(t.run({ workflowId, ...run }, { options }));
				return error?.message ?? items[0]?.json.id;
			};
			expect(await ask({ idempotency: 'none' })).toMatch(/did not respond/);
			isLost = false;
			expect(await ask(changed)).toMatch(/an earlier try may have been carried out/);
			expect(t.model.jobs).toHaveLength(1);
			expect(await ask(changed)).toBe('gen_2');
			expect(t.posts().at(-1)?.headers).toHaveProperty('Idempotency-Key');
		},
	);
});
