/** A file that decides something on which money or safety hangs, and the tests that must notice every change of it. */
export interface Target {
	file: string;
	tests: string[];
}

const transport = (name: string, tests = [name]): Target => ({
	file: `src/transport/${name}.ts`,
	tests: tests.map((test) => `test/transport/${test}.test.ts`),
});

const webhook = (name: string, tests = [name]): Target => ({
	file: `src/webhook/${name}.ts`,
	tests: tests.map((test) => `test/webhook/${test}.test.ts`),
});

export const TARGETS: Target[] = [
	transport('retry'),
	transport('retryAfter'),
	transport('idempotency'),
	transport('itemState'),
	transport('errors'),
	transport('spending', ['errors']),
	transport('rateWindow'),
	transport('slots'),
	webhook('created'),
	webhook('event'),
	webhook('filter'),
	webhook('payload'),
	webhook('record', ['event', 'created']),
	webhook('sealed'),
	webhook('seen'),
	webhook('signature'),
];
