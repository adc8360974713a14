import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { ENDPOINTS, type EndpointName } from '../../src/contract';
import { refusals } from '../support/requestSchemas';
import { endpointCases, type EndpointCase } from './support/endpointCases';
import { credentialData, credentialType } from '../../lab/n8n/credential';
import type { SavedCredential } from '../../lab/n8n/rest';
import { baseUrl, keys, rest, runOurs, sandbox } from './support/harness';

/**
 * What expressions give when data are not as one thought. Half of them become the value of each parameter, the other half
 * that of the next; `test/nodes/anything.test.ts` tries anything in each.
 */
const ODD: unknown[] = [
	...[null, '', ' ', 0, -1, 1.5, true, '7', '__proto__', '..', 'a/b', '\u0000', '\ud800'],
	...[[], [null], {}, { __proto__x: 1 }, { __rl: true }, '[null]', '{oops'],
	'x'.repeat(20_000),
	Array.from({ length: 60 }, (_, index) => `${index}`),
];

const items = [...ODD.map((odd) => ({ json: { odd } as IDataObject })), { json: {} }];
const halves = [0, 1].map((half) => items.filter((_, index) => index % 2 === half));

/** Parameters that n8n lets no expression into, or that are none. */
const FIXED = ['operation', 'resource', 'blocksFrom', '__rl', 'mode'];

type Values = Record<string, unknown>;

const isCollection = (value: unknown): value is Values =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** Where the values of a case stand: names of parameters, into collections, forms and locators. */
function leavesOf(values: unknown, within: string[] = []): string[][] {
	const isForm = Array.isArray(values) && values.every(isCollection);
	if (!isForm && !isCollection(values)) return [within];
	return Object.entries(values).flatMap(([name, value]) =>
		within.length > 0 && '__rl' in values && name !== 'value'
			? []
			: leavesOf(value, [...within, name]),
	);
}

function withOdd(values: unknown, [name = '', ...rest]: string[]): unknown {
	if (name === '') return '={{ $json.odd }}';
	const copy = (
		Array.isArray(values) ? [...(values as unknown[])] : { ...(values as Values) }
	) as Values;
	copy[name] = withOdd(copy[name], rest);
	return copy;
}

let cases: EndpointCase[];
let credential: SavedCredential;

beforeAll(async () => {
	await sandbox.reset();
	const plan = { requestsPerMinute: 1_000_000, concurrentJobs: 100_000 };
	await sandbox.settings({ ...plan, modelChecks: false });
	// A plan without bounds, so that no item waits for another one's job.
	const access = credentialData({ apiKey: keys.full.key, baseUrl: `${baseUrl}/` });
	credential = await rest.credentials.create(credentialType, 'boundless', { ...access, ...plan });
	await sandbox.addCredits(keys.full.workspace, 1_000_000);
	cases = await endpointCases();
});

const asked = async () =>
	(await sandbox.requests()).filter(
		({ operation }) => operation !== null && operation in ENDPOINTS,
	);

/**
 * The requests that the service's schemas do not take; limits that are its own to choose excepted.
 */
const badRequests = async (since: number) =>
	(await asked())
		.slice(since)
		.filter(
			({ status, operation, body, query }) =>
				status === 400 && refusals(operation as EndpointName, { body, query }).length > 0,
		);

it.each(Object.keys(ENDPOINTS) as EndpointName[])(
	'%s: anything in any parameter is an error with item and field, or a request that the service takes',
	async (name) => {
		for (const one of cases.filter(({ endpoint }) => endpoint === name)) {
			const leaves = leavesOf(one.parameters).filter(([first = '', ...rest]) =>
				[first, ...rest].every(
					(part, index) => !FIXED.includes(part) || (index === 0 && part === 'mode'),
				),
			);
			for (const [index, leaf] of leaves.entries()) {
				const before = (await asked()).length;
				const run = await runOurs({
					node: one.node,
					credential,
					items: (halves[index % 2] ?? []).map((item) => ({
						...item,
						...(one.items?.[0]?.binary && { binary: one.items[0].binary }),
					})),
					parameters: withOdd(one.parameters, leaf) as INodeParameters,
					onError: 'continueRegularOutput',
				});
				expect([leaf, run.error?.message]).toEqual([leaf, undefined]);
				for (const { error, pairedItem } of run.items) {
					if (!error) continue;
					const { item } = pairedItem as { item: number };
					expect([leaf, error.message]).toEqual([
						leaf,
						expect.stringMatching(new RegExp(`^[\\s\\S]+\\[item ${item}\\]$`)),
					]);
				}
				expect([leaf, await badRequests(before)]).toEqual([leaf, []]);
			}
		}
	},
);
