import {
	NodeConnectionTypes,
	type INodePropertyOptions,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { withBuilderHints } from '../fields/builderHints';
import { mediaGenApiTest } from './credentialTest';
import { oneItem } from './entrance';
import { nodeProperties, type NodeResource } from './properties';
import { searches } from './pickers/searches';

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

/** What is the same in every node but triggers, and the properties of its resources. */
export function actionNode(...resources: NodeResource[]) {
	// A dry run works without a credential.
	const mayRunDry = resources.some(({ operations }) => operations.some(({ spec }) => spec.creates));
	return {
		version: 1,
		group: ['transform'],
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'mediaGenApi', required: !mayRunDry, testedBy: 'mediaGenApiTest' }],
		requestDefaults: { baseURL: '={{ $credentials.baseUrl }}', json: true },
		requestOperations: { pagination: oneItem(resources) },
		properties: withBuilderHints(nodeProperties(resources), resources),
	} satisfies Partial<INodeTypeDescription>;
}

/** What the editor calls: the test of the credential, and the searches that fields name. */
export const methods = { credentialTest: { mediaGenApiTest }, listSearch: searches };

/** Why a builder may want another node of this package, by the names of those nodes. */
export const relatedNodes = (hints: Record<string, string>) =>
	Object.entries(hints).map(([name, relationHint]) => ({
		nodeType: `n8n-nodes-mediagen.${name}`,
		relationHint,
	}));
