/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import type { IDataObject, INode, INodeParameters, OnError } from 'n8n-workflow';
import { connectedTo, nodeAt } from './canvas';
import { credentialOf, type SavedCredential, type WorkflowData } from './rest';

export interface InputItem {
	json?: IDataObject;
	/** Files by the name of their binary field. */
	binary?: Record<string, { data: Buffer; fileName: string; mimeType: string }>;
}

/** A node to try, and what n8n should do with it. */
export interface NodeRun {
	type: string;
	typeVersion?: number;
	parameters: INodeParameters;
	credential?: SavedCredential;
	/** Default: one item without fields. */
	items?: InputItem[];
	/** The code of a node between the files of the items and the node. */
	between?: string;
	/** `continueRegularOutput` is what users call Continue On Fail. */
	onError?: OnError;
	/** Retry On Fail, with how often and how many milliseconds apart. */
	retry?: { maxTries: number; waitBetweenTries: number };
	/**
	 * Where n8n keeps files: beside the json of an item, or in it, which the editor calls Execution
	 * Logic v2. Default: as MEDIAGEN_E2E_BINARY_MODE says, otherwise beside.
	 */
	binaryMode?: 'separate' | 'combined';
	/** How long the execution may take; default 120 s. */
	timeoutMs?: number;
}

/** Name of the node that is tried. */
export const nodeName = 'Node under test';

/** Name of the trigger that starts it by hand. */
export const triggerName = 'Start';

/** Name of the node that puts out the files of the items, if they have any. */
export const inputName = 'Input';

const betweenName = 'Between';

// n8n keeps pinned files inside the item; the Code node puts them into its binary store, where a
// user's files are, so that streaming and metadata are tried too.
const unpackFiles = `
return await Promise.all($input.all().map(async (item) => {
	// With Execution Logic v2 an item is its json.
	const { fields, files } = item.json ?? item;
	const binary = {};
	for (const [name, file] of Object.entries(files)) {
		const bytes = Buffer.from(file.data, 'base64');
		binary[name] = await this.helpers.prepareBinaryData(bytes, file.fileName, file.mimeType);
	}
	return { json: fields, binary };
}));`;

/**
 * The workflow trigger -> node, ready to run by hand; if items have files, a Code node between them stores
 * those, and another one may follow.
 */
export function workflowOf(run: NodeRun): WorkflowData {
	const { items = [{}], type, typeVersion = 1, parameters, credential, onError, retry } = run;
	const { between } = run;
	const binaryMode = run.binaryMode ?? process.env.MEDIAGEN_E2E_BINARY_MODE;
	const manual = { type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} };
	const codeNode = (name: string, column: number, jsCode: string): INode => ({
		...nodeAt(name, column),
		type: 'n8n-nodes-base.code',
		typeVersion: 2,
		parameters: { jsCode },
	});
	const tried: INode = {
		...nodeAt(nodeName, 2),
		type,
		typeVersion,
		parameters,
		onError,
		...(retry && { retryOnFail: true, ...retry }),
		credentials: credential && credentialOf(credential),
	};
	const trigger = { ...nodeAt(triggerName, 0), ...manual };
	const shared: Pick<WorkflowData, 'name' | 'settings'> = {
		name: `Try ${type}`,
		...(binaryMode === 'combined' && { settings: { binaryMode } }),
	};
	if (items.every(({ binary }) => binary === undefined))
		return {
			...shared,
			nodes: [trigger, tried],
			connections: { [triggerName]: connectedTo(nodeName) },
			pinData: { [triggerName]: items.map(({ json = {} }) => ({ json })) },
		};
	const before = [codeNode(inputName, 1, unpackFiles)];
	if (between !== undefined) before.push(codeNode(betweenName, 1.5, between));
	const nodes = [trigger, ...before, tried];
	return {
		...shared,
		nodes,
		connections: Object.fromEntries(
			nodes.slice(1).map(({ name }, index) => [nodes[index]?.name ?? '', connectedTo(name)]),
		),
		pinData: { [triggerName]: items.map((item) => ({ json: packed(item) })) },
	};
}

function packed({ json = {}, binary = {} }: InputItem): IDataObject {
	const files = Object.entries(binary).map(([name, file]) => [
		name,
		{ ...file, data: file.data.toString('base64') },
	]);
	return { fields: json, files: Object.fromEntries(files) as IDataObject };
}
