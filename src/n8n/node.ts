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
const operationInWords = inWords('$parameter["operation"].replace("getAll", "getMany")');
const resourceInWords = inWords('$parameter["resource"]');

/** What the canvas shows under the name of a node: with one resource, and with several. */
export const OPERATION = `={{ ${operationInWords} }}`;
export const OPERATION_AND_RESOURCE = `={{ ${operationInWords} + ": " + ${resourceInWords} }}`;

/**
 * What the canvas shows under the name of a trigger: the chosen entries of a list, in the words of that list.
 */
export function choicesInWords(parameter: string, choices: INodePropertyOptions[]): string {
	const words = Object.fromEntries(choices.map(({ value, name }) => [value, name]));
	return `={{ [$parameter["${parameter}"]].flat().map((one) => (${JSON.stringify(words)})[one] ?? one).join(", ") }}`;
}

/** A picture of `nodes/icons`, for light and dark mode. */
export const icons = (name: string) =>
	({ light: `file:../icons/${name}.svg`, dark: `file:../icons/${name}.dark.svg` }) as const;

/** What all nodes but the triggers have in common, with the properties of their resources. */
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
		// The second door of `entrance.ts`: n8n calls this for each item of a tool.
		requestOperations: { pagination: oneItem(resources) },
		properties: withBuilderHints(nodeProperties(resources), resources),
	} satisfies Partial<INodeTypeDescription>;
}

/** What the editor calls: the test of the credential, and the searches that fields name. */
export const methods = { credentialTest: { mediaGenApiTest }, listSearch: searches };

/** Hints for AI builders: why they may want another node of this package, by its name. */
export const relatedNodes = (hints: Record<string, string>) =>
	Object.entries(hints).map(([name, relationHint]) => ({
		nodeType: `n8n-nodes-mediagen.${name}`,
		relationHint,
	}));
