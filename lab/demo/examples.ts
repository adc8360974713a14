/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { INode } from 'n8n-workflow';
import { credentialType } from '../n8n/credential';
import { examplesRoot } from '../process/paths';
import type { SavedCredential, WorkflowData } from '../n8n/rest';

/** The example workflows in the order of their file names. */
export function readExamples(): WorkflowData[] {
	return readdirSync(examplesRoot)
		.filter((file) => file.endsWith('.json'))
		.sort()
		.map((file) => JSON.parse(readFileSync(path.join(examplesRoot, file), 'utf8')) as WorkflowData);
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

/**
 * A workflow whose creations use models that the service has: the ids in the examples are the
 * sandbox's, and another service has a catalogue of its own. The models of speech are the specification's.
 */
export function withModels(workflow: WorkflowData, choose: (node: INode) => string): WorkflowData {
	return {
		...workflow,
		nodes: workflow.nodes.map((node) =>
			isOurs(node) && node.parameters.model && node.parameters.mode
				? { ...node, parameters: { ...node.parameters, model: byId(choose(node)) } }
				: node,
		),
	};
}

function byId(value: string) {
	return { __rl: true as const, mode: 'id', value };
}
