import { toNoResponse } from '../../src/service/network';

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

test.each(['ECONNREFUSED', 'ENOTFOUND'])('%s: no connection was made', (code) => {
	expect(toNoResponse(thrown(code), true)).toEqual({ noResponse: code, unsent: 'connection' });
});

test.each(['EHOSTUNREACH', 'ECONNRESET'])(
	'%s: unsent only when the call that connects has failed',
	(code) => {
		expect(toNoResponse(thrown(code, { syscall: 'connect' }), true).unsent).toBe('connection');
		expect(toNoResponse(thrown(code, { syscall: 'read' }), true).unsent).toBeUndefined();
		expect(toNoResponse(thrown(code), true).unsent).toBeUndefined();
	},
);

test('several addresses that were all tried are one failure', () => {
	const refused = Object.assign(new Error(), { code: 'EHOSTUNREACH', syscall: 'connect' });
	const all = new AggregateError([refused, refused]);
	const client = Object.assign(new Error('', { cause: all }), { isAxiosError: true });
	expect(toNoResponse(client, true)).toEqual({ noResponse: 'EHOSTUNREACH', unsent: 'connection' });
});

test('a connection that ended before it was secure carried nothing', () => {
	const message = 'Client network socket disconnected before secure TLS connection was established';
	const system = Object.assign(new Error(message), { code: 'ECONNRESET' });
	expect(toNoResponse(system, true)).toEqual({ noResponse: 'ECONNRESET', unsent: 'connection' });
});

test.each(['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID'])(
	'%s: nothing is sent to whom one does not trust',
	(code) => {
		expect(toNoResponse(thrown(code), true)).toEqual({ noResponse: code, unsent: 'certificate' });
	},
);

test.each(['ECONNRESET', 'EPIPE', 'HPE_INVALID_CONSTANT'])(
	'%s: unknown whether it was carried out, and no message is shown',
	(code) => {
		expect(toNoResponse(thrown(code), true)).toEqual({ noResponse: code });
		// Should n8n ever work on a copy of the request, the key is not seen on ours.
		expect(toNoResponse(thrown(code), false)).toEqual({ noResponse: code });
		expect(toNoResponse(thrown(code))).toEqual({ noResponse: code });
	},
);

test('a timeout is reported as one, whoever noticed it', () => {
	expect(toNoResponse(thrown('ECONNABORTED'), true)).toEqual({ noResponse: 'timeout' });
	expect(toNoResponse(thrown('ETIMEDOUT'), true)).toEqual({ noResponse: 'timeout' });
});

test('what n8n throws before the key is on the request keeps its message', () => {
	const error = new Error('Credential with ID "7" does not exist');
	expect(toNoResponse(error, false)).toEqual({ noResponse: error.message, unsent: 'local' });
	expect(toNoResponse(error, true)).toEqual({ noResponse: 'Error' });
});

test('a request that could not even be put together is a local failure', () => {
	const code = 'ERR_INVALID_URL';
	expect(toNoResponse(thrown(code), true)).toMatchObject({ unsent: 'local' });
	const answered = Object.assign(new Error('x'), { code, response: { status: 400 } });
	expect(toNoResponse(answered, true).unsent).toBeUndefined();
});

test('no address is shown, because it may be presigned; and messages are cut', () => {
	const error = new Error(`Bad https://put.example/x?sig=canary of ${'x'.repeat(1_000)}`);
	const { noResponse: lost } = toNoResponse(error, false);
	expect(lost).toMatch(/^Bad \(address\) of x+$/);
	expect(lost.length).toBeLessThanOrEqual(300);
});

test('whatever is thrown, it is something', () => {
	for (const odd of [undefined, 'text', {}])
		expect(toNoResponse(odd, true)).toEqual({ noResponse: 'unknown' });
	const circular = new Error('x');
	circular.cause = circular;
	expect(toNoResponse(circular, true)).toEqual({ noResponse: 'Error' });
});
