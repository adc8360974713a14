/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { INode } from 'n8n-workflow';
import { credentialType } from '../n8n/credential';
import { LabError } from '../process/failure';
import { examplesRoot } from '../process/paths';
import type { SavedCredential, WorkflowData } from '../n8n/rest';

/** The example workflows in the order of their file names. */
export function readExamples(): WorkflowData[] {
	return readdirSync(examplesRoot)
		.filter((file) => file.endsWith('.json'))
		.sort()
		.map((file) => JSON.parse(readFileSync(path.join(examplesRoot, file), 'utf8')) as WorkflowData);
}

/**
 * The example with this number in its name.
 *
 * @throws LabError that names those that are there
 */
export function numbered<T extends { name: string }>(examples: T[], number: string): T {
	const numberOf = ({ name }: T) => /^MediaGen (\w+):/.exec(name)?.[1];
	const found = examples.find((example) => numberOf(example) === number);
	if (found) return found;
	const there = examples.map(numberOf).join(', ');
	throw new LabError(`There is no example ${number}; choose one of ${there}`);
}

const isOurs = ({ type }: INode) => type.startsWith('n8n-nodes-mediagen.');

/** A workflow whose nodes of ours use this credential, as after choosing it in the editor. */
export function withCredential(workflow: WorkflowData, saved: SavedCredential): WorkflowData {
	const credentials = { [credentialType]: { id: saved.id, name: saved.name } };
	return {
		...workflow,
		nodes: workflow.nodes.map((node) => (isOurs(node) ? { ...node, credentials } : node)),
	};
}

const isLanguageModel = ({ type }: INode) => type.endsWith('.lmChatOpenAi');

export const hasLanguageModel = ({ nodes }: WorkflowData) => nodes.some(isLanguageModel);

/** A workflow whose language models use this credential. */
export function withLanguageModel(workflow: WorkflowData, saved: SavedCredential): WorkflowData {
	const credentials = { [saved.type]: { id: saved.id, name: saved.name } };
	return {
		...workflow,
		nodes: workflow.nodes.map((node) => (isLanguageModel(node) ? { ...node, credentials } : node)),
	};
}

/**
 * A workflow whose creations use models that the service has: the ids in the examples are the
 * sandbox's, and another service has a catalogue of its own. The models of speech are the specification's.
 */
export function withModels(workflow: WorkflowData, choose: (node: INode) => string): WorkflowData {
	return {
		...workflow,
		nodes: workflow.nodes.map((node) =>
			isOurs(node) && /^generate/.test(String(node.parameters.operation))
				? { ...node, parameters: { ...node.parameters, model: byId(choose(node)) } }
				: node,
		),
	};
}

/** The folder that the examples write to: what n8n allows by default in its Docker image. */
const EXAMPLE_FOLDER = '/home/node/.n8n-files';

/** A workflow that writes its files to a folder of this machine. */
export function withFolder(workflow: WorkflowData, folder: string): WorkflowData {
	const text = JSON.stringify(workflow);
	return JSON.parse(text.replaceAll(EXAMPLE_FOLDER, folder)) as WorkflowData;
}

function byId(value: string) {
	return { __rl: true as const, mode: 'id', value };
}
