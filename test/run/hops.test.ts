import { ENDPOINTS } from '../../src/contract';
import type { Failed } from '../../src/base/result';
import { describeFailure } from '../../src/run/errors';
import { creditState } from '../../src/run/spending';
import { isOutcomeOpen } from '../../src/run/state';
import { answer } from '../model/answers';
import { oneItem } from '../model/run';

const PAGE = '<html><head><title>Access denied | Proxy</title></head></html>';

const SIGN_IN = {
	says: /^(A proxy|The network) between n8n and the service wants a sign-in/,
	hides: /not known|twice|scope/,
};

const INSTEAD = {
	says: /^A proxy or another server answered instead of the service \(status \d+\): Access denied \| Proxy\./,
	hides: /scope|credits|API key/i,
};

const UNUSABLE = {
	says: /^The answer of the service cannot be used\. .*status 200, but the response is a web page, not a JSON object/s,
	hides: /Access denied/,
};

test.each([
	[407, '', SIGN_IN, 'none spent'],
	[511, PAGE, SIGN_IN, 'none spent'],
	[402, PAGE, INSTEAD, 'unknown'],
	[403, PAGE, INSTEAD, 'unknown'],
	[503, PAGE, INSTEAD, 'unknown'],
	[200, PAGE, UNUSABLE, 'unknown'],
])(
	'a creation that something between n8n and the service answers with %i (%j)',
	async (status, body, { says, hides }, credits) => {
		const { memory, make, through, keys } = oneItem();
		through(() => answer(status, body));
		const failed = (await make()) as Failed;
		const context = {
			endpoint: ENDPOINTS.createGeneration,
			creates: true,
			charges: true,
			itemIndex: 0,
			idempotency: 'execution',
			outcomeUnknown: isOutcomeOpen(memory.state),
		} as const;
		const { message, description } = describeFailure(failed, context);
		const text = `${message}. ${description}`;
		expect(text).toMatch(says);
		expect(text).not.toMatch(hides);
		expect(creditState(failed, context)).toBe(credits);
		if (says === SIGN_IN.says) expect(keys()).toHaveLength(1);
	},
);
