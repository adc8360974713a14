import { toNoResponse } from '../../src/transport/network';

/** An error as n8n throws it: its own around the HTTP client's around the system's. */
function thrown(code: string, more: object = {}): Error {
	const system = Object.assign(new Error(`canary ${code}`), { code, ...more });
	const client = Object.assign(new Error('canary', { cause: system }), {
		name: 'AxiosError',
		isAxiosError: true,
		code,
	});
	return new Error('canary', { cause: client });
}

const refusedByHost = Object.assign(new Error(), { code: 'EHOSTUNREACH', syscall: 'connect' });
const allAddresses = Object.assign(
	new Error('', { cause: new AggregateError([refusedByHost, refusedByHost]) }),
	{ isAxiosError: true },
);
const handshake = Object.assign(
	new Error('Client network socket disconnected before secure TLS connection was established'),
	{ code: 'ECONNRESET' },
);
const answered = Object.assign(new Error(), { code: 'ERR_BAD_REQUEST', response: { status: 400 } });
const circular = new Error('x');
circular.cause = circular;

// What counts as unsent is sent again even without a key: a wrong guess would pay twice.
test.each<[name: string, error: unknown, reason: string, unsent: string | undefined]>([
	['nobody listens', thrown('ECONNREFUSED'), 'ECONNREFUSED', 'connection'],
	['no such host', thrown('ENOTFOUND'), 'ENOTFOUND', 'connection'],
	['several addresses, all tried', allAddresses, 'EHOSTUNREACH', 'connection'],
	['reset on connecting', thrown('ECONNRESET', { syscall: 'connect' }), 'ECONNRESET', 'connection'],
	['reset before it was secure', handshake, 'ECONNRESET', 'connection'],
	['an expired certificate', thrown('CERT_HAS_EXPIRED'), 'CERT_HAS_EXPIRED', 'certificate'],
	[
		'one of another host',
		thrown('ERR_TLS_CERT_ALTNAME_INVALID'),
		'ERR_TLS_CERT_ALTNAME_INVALID',
		'certificate',
	],
	['no valid address', thrown('ERR_INVALID_URL'), 'canary', 'local'],
	['reset while it reads', thrown('ECONNRESET', { syscall: 'read' }), 'ECONNRESET', undefined],
	['reset', thrown('ECONNRESET'), 'ECONNRESET', undefined],
	['no HTTP', thrown('HPE_INVALID_CONSTANT'), 'HPE_INVALID_CONSTANT', undefined],
	['a time-out of the client', thrown('ECONNABORTED'), 'timeout', undefined],
	['a time-out of the system', thrown('ETIMEDOUT'), 'timeout', undefined],
	['an answer', answered, 'ERR_BAD_REQUEST', undefined],
	['an error of n8n after the key', new Error('canary'), 'Error', undefined],
	['nothing', undefined, 'unknown', undefined],
	['no error', 'text', 'unknown', undefined],
	['an error that causes itself', circular, 'Error', undefined],
])('%s', (_name, error, reason, unsent) => {
	expect(toNoResponse(error, true)).toEqual({ noResponse: reason, unsent });
});

test('what n8n throws before the key is on the request was never sent, and keeps its message', () => {
	const error = new Error('Credential with ID "7" does not exist');
	expect(toNoResponse(error, false)).toEqual({ noResponse: error.message, unsent: 'local' });
	// Should n8n ever work on a copy of the request, the key is not seen on ours.
	expect(toNoResponse(thrown('ECONNRESET'), false)).toEqual({ noResponse: 'ECONNRESET' });
});

test('no address is shown, because it may be presigned; and messages are cut', () => {
	const error = new Error(`Bad https://put.example/x?sig=canary of ${'x'.repeat(1_000)}`);
	const { noResponse: lost } = toNoResponse(error, false);
	expect(lost).toMatch(/^Bad \(address\) of x+$/);
	expect(lost.length).toBeLessThanOrEqual(300);
});
