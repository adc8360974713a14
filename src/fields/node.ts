import {
	NodeConnectionTypes,
	type INodePropertyOptions,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { mediaGenApiTest } from './credentialTest';
import { nodeProperties, type NodeResource } from './properties';
import { searches } from './search/searches';

/**
 * Stands for the base URL of the credential, which the runner puts in its place. n8n would evaluate
 * an expression here twice for every item, and each evaluation costs more than all that the
 * transport does for a read. Not left out: n8n takes a node without an address for one that the
 * credential must allow by name. No such host can exist (RFC 2606), so nothing is ever sent there.
 */
const BASE_URL_OF_CREDENTIAL = 'https://base-url-of-the-credential.invalid';

const inWords = (name: string) => `${name}.replace(/([A-Z])/g, " $1").toLowerCase()`;
const operation = inWords('$parameter["operation"].replace("getAll", "getMany")');
const resource = inWords('$parameter["resource"]');

/** What the canvas shows under the name of a node with one resource, and of one with several. */
export const OPERATION = `={{ ${operation} }}`;
export const OPERATION_AND_RESOURCE = `={{ ${operation} + ": " + ${resource} }}`;

/** What the canvas shows under the name of a trigger: what is chosen in a list, in the words of the list. */
export function choicesInWords(parameter: string, choices: INodePropertyOptions[]): string {
	const words = Object.fromEntries(choices.map(({ value, name }) => [value, name]));
	return `={{ [$parameter["${parameter}"]].flat().map((one) => (${JSON.stringify(words)})[one] ?? one).join(", ") }}`;
}

/** A picture of `nodes/icons` in its two variants. */
export const icons = (name: string) =>
	({ light: `file:../icons/${name}.svg`, dark: `file:../icons/${name}.dark.svg` }) as const;

/** A dry run works without a credential. */
const mayRunDry = (resources: NodeResource[]): boolean =>
	resources.some(({ operations }) => operations.some(({ spec }) => spec.creates));

/** What is the same in every node but triggers, and the properties of its resources. */
export const actionNode = (...resources: NodeResource[]) =>
	({
		version: 1,
		group: ['transform'],
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{ name: 'mediaGenApi', required: !mayRunDry(resources), testedBy: 'mediaGenApiTest' },
		],
		requestDefaults: { baseURL: BASE_URL_OF_CREDENTIAL, json: true },
		properties: nodeProperties(resources),
	}) satisfies Partial<INodeTypeDescription>;

/** What the editor calls: the test of the credential, and the searches that fields name. */
export const methods = { credentialTest: { mediaGenApiTest }, listSearch: searches };

/** Why a builder may want another node of this package, by the names of those nodes. */
export const relatedNodes = (hints: Record<string, string>) =>
	Object.entries(hints).map(([name, relationHint]) => ({
		nodeType: `n8n-nodes-mediagen.${name}`,
		relationHint,
	}));
