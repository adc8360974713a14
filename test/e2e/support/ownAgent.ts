import { randomUUID } from 'node:crypto';
import type { INodeParameters } from 'n8n-workflow';
import { credentialOf, type SavedCredential } from '../../../lab/n8n/rest';
import type { Script } from '../../../lab/model/server';
import { rest } from './harness';

/** A node of ours as a tool of an agent. */
export interface AgentTool {
	/** What the model knows it by. */
	name: string;
	/** Such as `mediaGen`. */
	node: string;
	parameters: INodeParameters;
}

/** One of n8n's own Agents, which n8n has from 2.41 on. */
export interface OwnAgent {
	/** Says something to it, and gives what it streams. @param session a conversation that goes on */
	say(script: Script, session?: string): Promise<string>;
}

export async function makeAgent(
	model: SavedCredential,
	mediaGen: SavedCredential,
	tools: AgentTool[],
): Promise<OwnAgent> {
	const { session } = rest;
	const project = await session.request<{ id: string }>('GET', '/rest/projects/personal');
	const agents = `/rest/projects/${project.id}/agents/v2`;
	const name = `Agent ${randomUUID()}`;
	const schema = {
		name,
		model: 'openai/scripted',
		credential: model.id,
		instructions: 'Do what you are asked for.',
		tools: tools.map((tool) => ({
			type: 'node',
			name: tool.name,
			description: tool.name,
			node: {
				nodeType: `n8n-nodes-mediagen.${tool.node}`,
				nodeTypeVersion: 1,
				nodeParameters: tool.parameters,
				credentials: credentialOf(mediaGen),
			},
		})),
	};
	const { id } = await session.request<{ id: string }>('POST', agents, { name, schema });
	return {
		async say(script, conversation = randomUUID()) {
			const message = JSON.stringify(script);
			const body = { message, sessionId: conversation };
			return String(await session.bytes(`${agents}/${id}/chat`, 'POST', body));
		},
	};
}
