import type { IAllExecuteFunctions } from 'n8n-workflow';
import { executionHeaders } from '../../src/n8n/n8nHost';
import { readCredential } from '../../src/transport/credential';

const LOCAL = 'http://127.0.0.1:4010/v1';

const functionsWith = (more: Partial<IAllExecuteFunctions> = {}) =>
	({
		getExecutionId: () => '12',
		getWorkflow: () => ({ id: 'abc', active: true }),
		getInstanceBaseUrl: () => 'https://n8n.example.com/',
		...more,
	}) as IAllExecuteFunctions;

test.each([
	[LOCAL, 'this machine'],
	['http://localhost:4010/v1', 'this machine'],
	['http://sandbox.localhost:4010/v1', 'this machine'],
	['http://[::1]:4010/v1', 'this machine'],
	['https://api.example.com/v1', 'another'],
	['https://192.168.0.2/v1', 'another'],
	['https://localhost.example.com/v1', 'another'],
	['https://127.0.0.1.nip.io/v1', 'another'],
])('a service at %s, which is %s, hears of the execution only if it is here', (baseUrl, place) => {
	const told = { 'X-N8N-Execution': 'https://n8n.example.com/workflow/abc/executions/12' };
	const access = readCredential({ baseUrl, apiKey: 'key' });
	if (access.problem !== undefined) throw new Error(access.problem);
	expect(executionHeaders(functionsWith(), access)).toEqual(place === 'another' ? {} : told);
});

test.each<[what: string, more: Partial<IAllExecuteFunctions>]>([
	['an execution', { getExecutionId: () => undefined as unknown as string }],
	['a workflow', { getWorkflow: () => ({ active: false }) }],
	['an address', { getInstanceBaseUrl: () => '' }],
	['the function', { getExecutionId: undefined as unknown as () => string }],
])('where n8n has not %s, nothing is said', (_what, more) => {
	expect(executionHeaders(functionsWith(more), { isLocal: true })).toEqual({});
});
