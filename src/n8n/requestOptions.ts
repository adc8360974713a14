import type { IHttpRequestOptions } from 'n8n-workflow';
import { fail, ok, type Result } from '../base/result';
import type { NodeCall, RequestOptions } from './call';

/** How all requests of an item are sent, as n8n's HTTP client takes it. */
export type Sending = Pick<IHttpRequestOptions, 'proxy' | 'skipSslCertificateValidation'> & {
	timeoutMs: number;
};

/** The address of a proxy, which has to say its port. */
function proxyOf(text: string): IHttpRequestOptions['proxy'] {
	const { hostname, port: stated, protocol, username, password } = new URL(text);
	// `URL` leaves out the one that is usual for the protocol.
	const port = stated || /:(\d+)\/?$/.exec(text)?.[1];
	if (!hostname || !port) throw new Error('no host or port');
	const auth = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
	return {
		host: hostname,
		port: Number(port),
		protocol: protocol.replace(/:$/, ''),
		...(username && { auth }),
	};
}

export const requestOptions = (call: NodeCall, index: number): RequestOptions =>
	(call.parameter(index, 'requestOptions', {}) ?? {}) as RequestOptions;

/** What the user has set under Request Options for the requests of an item. */
export function sendingOf(call: NodeCall, index: number): Result<Sending> {
	const { proxy, timeout = 0, allowUnauthorizedCerts } = requestOptions(call, index);
	const sending: Sending = { timeoutMs: Number(timeout) };
	if (allowUnauthorizedCerts) sending.skipSslCertificateValidation = true;
	if (!proxy) return ok(sending);
	try {
		return ok({ ...sending, proxy: proxyOf(proxy) });
	} catch {
		const problem = `must be an address with a port, such as http://proxy.example.com:3128, got "${proxy}"`;
		return fail({ kind: 'input', field: 'Proxy', problem });
	}
}

/** How the items of a run begin: so many at once, and the next after a pause. */
interface Portions {
	size: number;
	pauseMs: number;
}

/** Batching, as n8n's panel says: of the size -1 is off and 0 is 1, of the interval 0 is off. */
export function portionsOf(call: NodeCall): Portions {
	const { batching } = requestOptions(call, call.inputs[0]?.index ?? 0);
	const size = Number(batching?.batch?.batchSize ?? 1);
	const pauseMs = Number(batching?.batch?.batchInterval ?? 0);
	if (!(pauseMs > 0) || size < 0) return { size: Infinity, pauseMs: 0 };
	return { size: size >= 1 ? size : 1, pauseMs };
}
