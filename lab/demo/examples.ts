/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { INode } from 'n8n-workflow';
import { credentialType } from '../n8n/credential';
import { credentialOf, type SavedCredential, type WorkflowData } from '../n8n/rest';
import { LabError } from '../process/failure';
import { examplesRoot } from '../process/paths';

/** The example workflows in the order of their file names. */
export function readExamples(): WorkflowData[] {
	return readdirSync(examplesRoot)
		.filter((file) => file.endsWith('.json'))
		.sort()
		.map((file) => JSON.parse(readFileSync(path.join(examplesRoot, file), 'utf8')) as WorkflowData);
}

/** The number in the name of an example, such as `7b`. */
export const numberOf = (name: string) => /^MediaGen (\w+):/.exec(name)?.[1];

/**
 * The example with this number in its name.
 *
 * @throws LabError that names those that are there
 */
export function numbered<T extends { name: string }>(examples: T[], number: string): T {
	const found = examples.find(({ name }) => numberOf(name) === number);
	if (found) return found;
	const there = examples.map(({ name }) => numberOf(name)).join(', ');
	throw new LabError(`There is no example ${number}; choose one of ${there}`);
}

const withNodes = (workflow: WorkflowData, change: (node: INode) => INode): WorkflowData => ({
	...workflow,
	nodes: workflow.nodes.map(change),
});

/** Whether a node is one of this package. */
export const isOurs = ({ type }: INode) => type.startsWith('n8n-nodes-mediagen.');
const isLanguageModel = ({ type }: INode) => type.endsWith('.lmChatOpenAi');

export const hasLanguageModel = ({ nodes }: WorkflowData) => nodes.some(isLanguageModel);

/** A workflow whose nodes of ours use this credential, as after choosing it in the editor. */
export const withCredential = (workflow: WorkflowData, { id, name }: SavedCredential) =>
	withNodes(workflow, (node) =>
		isOurs(node) ? { ...node, credentials: { [credentialType]: { id, name } } } : node,
	);

/** A workflow whose language models use this credential. */
export const withLanguageModel = (workflow: WorkflowData, saved: SavedCredential) =>
	withNodes(workflow, (node) =>
		isLanguageModel(node) ? { ...node, credentials: credentialOf(saved) } : node,
	);
