import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { ENDPOINTS, type EndpointName } from '../../src/contract';
import { refusals } from '../support/requestSchemas';
import { endpointCases, type EndpointCase } from './support/endpointCases';
import { credentialData, credentialType } from '../../lab/n8n/credential';
import type { SavedCredential } from '../../lab/n8n/rest';
import { baseUrl, keys, rest, runOurs, sandbox } from './support/harness';

/**
 * What expressions give when data are not as one thought. One of them is tried in each parameter, the next one in the
 * next; `test/nodes/anything.test.ts` tries anything in each.
 */
const ODD: unknown[] = [
	...[
		undefined,
		null,
		'',
		' ',
		0,
		-1,
		1.5,
		true,
		'7',
		'__proto__',
		'..',
		'a/b',
		'\u0000',
		'\ud800',
	],
	...[[], [null], {}, { __proto__x: 1 }, { __rl: true }, '[null]', '{oops'],
	'x'.repeat(20_000),
	Array.from({ length: 60 }, (_, index) => `${index}`),
];

/** Parameters that n8n lets no expression into, or that are none. */
const FIXED = ['operation', 'resource', 'blocksFrom', '__rl', 'mode'];

type Values = Record<string, unknown>;

const isCollection = (value: unknown): value is Values =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The parameters of a case, each value of which is read from the field `values` of the item, and these values by name.
 * What is an expression already stays one.
 */
function readFromItem(parameters: Values): { parameters: Values; values: Values } {
	const values: Values = {};
	const replaced = (value: unknown, path: string[]): unknown => {
		if (Array.isArray(value) && value.every(isCollection))
			return value.map((one, index) => replaced(one, [...path, String(index)]));
		if (isCollection(value)) {
			const entries = Object.entries(value).map(([name, part]) => {
				const isFixed = FIXED.includes(name) && !(name === 'mode' && path.length === 0);
				return [name, isFixed ? part : replaced(part, [...path, name])];
			});
			return Object.fromEntries(entries) as Values;
		}
		if (typeof value === 'string' && value.startsWith('=')) return value;
		const name = path.join('.');
		values[name] = value;
		return `={{ $json.values['${name}'] }}`;
	};
	return { parameters: replaced(parameters, []) as Values, values };
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
	'%s: anything in any parameter is an error that names its item, or a request that the service takes',
	async (name) => {
		let turn = 0;
		for (const one of cases.filter(({ endpoint }) => endpoint === name)) {
			const { parameters, values } = readFromItem(one.parameters);
			const tries = Object.keys(values).map((field) => {
				turn += 1;
				return { field, odd: ODD[turn % ODD.length] };
			});
			if (tries.length === 0) continue;
			const binary = one.items?.[0]?.binary;
			const before = (await asked()).length;
			const run = await runOurs({
				node: one.node,
				credential,
				items: tries.map(({ field, odd }) => ({
					json: { values: { ...values, [field]: odd } } as IDataObject,
					...(binary && { binary }),
				})),
				parameters: parameters as INodeParameters,
				onError: 'continueRegularOutput',
			});
			expect(run.error?.message).toBeUndefined();
			for (const { json, pairedItem } of run.items) {
				// An item that is alone needs no number.
				if (json.status !== 'failed' || json.error === undefined || tries.length === 1) continue;
				const { item } = pairedItem as { item: number };
				expect([tries[item], json.error]).toEqual([
					tries[item],
					expect.stringMatching(new RegExp(`\\[item ${item + 1} of ${tries.length}\\]$`)),
				]);
			}
			expect(await badRequests(before)).toEqual([]);
		}
	},
);
