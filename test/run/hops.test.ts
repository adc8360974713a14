import { ENDPOINTS } from '../../src/contract';
import type { Failed } from '../../src/base/result';
import type { SendResult } from '../../src/base/types';
import { describeFailure } from '../../src/run/errors';
import { creditState } from '../../src/run/spending';
import { isOutcomeOpen, newMemory } from '../../src/run/state';
import { answer } from '../model/answers';
import { createJob, hostWith, runOf, workspaceWith } from '../model/run';
import { VirtualClock } from '../model/virtualClock';

const PAGE = '<html><head><title>Access denied | Proxy</title></head></html>';

/** A creation that is always answered so. */
async function created(given: SendResult) {
	const clock = new VirtualClock();
	const memory = newMemory();
	let sent = 0;
	const host = hostWith(async () => {
		sent += 1;
		return given;
	});
	const item = runOf({ host, workspace: workspaceWith(clock), memory });
	const failed = (await clock.run(createJob(item))) as Failed;
	const context = {
		endpoint: ENDPOINTS.createGeneration,
		creates: true,
		charges: true,
		itemIndex: 0,
		idempotency: 'execution',
		outcomeUnknown: isOutcomeOpen(memory.state),
	} as const;
	const { message, description } = describeFailure(failed, context);
	return {
		sent,
		message,
		text: `${message}. ${description}`,
		credits: creditState(failed, context),
	};
}

test.each([
	[407, ''],
	[511, PAGE],
])(
	'a sign-in that a hop wants (%i %j): nothing was done, and it is asked once',
	async (status, body) => {
		const { sent, text, credits } = await created(answer(status, body));
		expect(sent).toBe(1);
		expect(credits).toBe('none spent');
		expect(text).toMatch(/^(A proxy|The network) between n8n and the service wants a sign-in/);
		expect(text).not.toMatch(/not known|twice|scope/);
	},
);

test.each([402, 403, 503])(
	'a page in place of the answer (%i) is told as that of a hop, and speaks neither of scopes nor of the balance',
	async (status) => {
		const { message, text, credits } = await created(answer(status, PAGE));
		expect(message).toBe(
			`A proxy or another server answered instead of the service (status ${status}): Access denied | Proxy`,
		);
		expect(text).not.toMatch(/scope|credits|API key/i);
		expect(credits).toBe('unknown');
	},
);

test('what an unreadable success is, is said, and nothing of its content', async () => {
	const { message, text } = await created(answer(200, PAGE));
	expect(message).toBe('The answer of the service cannot be used');
	expect(text).toMatch(/status 200, but the response is a web page, not a JSON object/);
	expect(text).not.toContain('Access denied');
});
