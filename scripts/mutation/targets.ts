/**
 * A file that decides something on which money or safety hangs, and the tests that must notice
 * every change of it.
 */
export interface Target {
	file: string;
	tests: string[];
}

/**
 * @param name path below `src`; the tests stand at the same place below `test`, unless others are
 * named
 */
const target = (name: string, tests = [name]): Target => ({
	file: `src/${name}.ts`,
	tests: tests.map((test) => `test/${test}.test.ts`),
});

export const TARGETS: Target[] = [
	target('transport/client/retry'),
	target('transport/client/retryAfter'),
	target('transport/item/idempotency'),
	target('transport/item/itemState', ['transport/item/itemState', 'transport/item/transitions']),
	target('transport/item/nextStep', ['transport/item/itemState', 'transport/item/transitions']),
	target('transport/item/keyConflict'),
	target('transport/item/outage'),
	target('transport/files/page'),
	target('transport/operations/creditCap'),
	target('transport/operations/outcomeUnknown'),
	target('transport/operations/keyRotation'),
	target('transport/operations/answerBy'),
	target('transport/runner/errors'),
	target('transport/runner/spending', ['transport/runner/spending', 'transport/runner/errors']),
	target('transport/limits/slidingWindow'),
	target('transport/limits/abandonedJobs'),
	target('transport/limits/jobSemaphore', [
		'transport/limits/jobSemaphore',
		'transport/limits/abandonedJobs',
	]),
	target('transport/limits/permit'),
	target('transport/limits/slotLimit'),
	target('transport/limits/creditGate'),
	target('trigger/settleWhenAnswered'),
	target('webhook/deduplicator'),
	target('webhook/encryptSecret'),
	target('webhook/event'),
	target('webhook/filter'),
	target('webhook/payload'),
	target('webhook/registrationResponse'),
	target('webhook/signature'),
];
