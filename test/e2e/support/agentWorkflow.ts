import type { IConnections, INode, INodeParameters } from 'n8n-workflow';
import { connectedTo, nodeAt } from '../../../lab/n8n/canvas';
import type { SavedCredential, WorkflowData } from '../../../lab/n8n/rest';
import type { Script } from '../../../lab/model/server';

/** The nodes of n8n that call tools, by how they do it: Agent 1.x as 2.x inside the parent. */
export const CALLERS = ['Agent 2.2', 'Agent 3.1', 'Message a model'] as const;
export type Caller = (typeof CALLERS)[number];

export const triggerName = 'Start';
const toolName = 'MediaGen Generation';
const callerName = 'Caller';
const firstName = 'Picture';
const modelName = 'Model';

export interface AgentRun {
	caller: Caller;
	/** What the model should do for each item of the caller. */
	scripts: Script[];
	/** Parameters of the tool. */
	parameters: INodeParameters;
	model: SavedCredential;
	mediaGen: SavedCredential;
	/** How many items agent 2.2 works on at the same time; default 1. */
	batchSize?: number;
	/** Retry On Fail of the tool. */
	retry?: { maxTries: number; waitBetweenTries: number };
	/** Further tools of ours, by the name of the node. */
	others?: Record<string, { node: string; parameters: INodeParameters }>;
	/** Parameters of a MediaGen node whose output the caller gets; it has to keep the fields of its input. */
	first?: INodeParameters;
}

const AGENT = '@n8n/n8n-nodes-langchain.agent';
const OPENAI = '@n8n/n8n-nodes-langchain.openAi';
const TEXT = '={{ $json.chatInput }}';
const MODEL = { __rl: true, mode: 'id', value: 'scripted' };

type Kind = Pick<INode, 'type' | 'typeVersion' | 'parameters'>;

function agent(typeVersion: number, options: INodeParameters = {}): Kind {
	return { type: AGENT, typeVersion, parameters: { promptType: 'define', text: TEXT, options } };
}

function kindOf(caller: Caller, batchSize: number): Kind {
	switch (caller) {
		case 'Agent 2.2':
			return agent(2.2, { batching: { batchSize } });
		case 'Agent 3.1':
			return agent(3.1, { batching: { batchSize } });
		case 'Message a model':
			return {
				type: OPENAI,
				typeVersion: 1.8,
				parameters: {
					resource: 'text',
					operation: 'message',
					modelId: MODEL,
					messages: { values: [{ role: 'user', content: TEXT }] },
				},
			};
	}
}

const using = ({ id, name, type }: SavedCredential) => ({ credentials: { [type]: { id, name } } });

/** The workflow trigger -> a node that calls tools, with our node as its tool. */
export function agentWorkflow(run: AgentRun): WorkflowData {
	const { caller, scripts, parameters, retry, batchSize = 1, others = {}, first } = run;
	const kind = kindOf(caller, batchSize);
	const isAgent = kind.type === AGENT;
	const nodes: INode[] = [
		{
			...nodeAt(triggerName, 0),
			type: 'n8n-nodes-base.manualTrigger',
			typeVersion: 1,
			parameters: {},
		},
		{ ...nodeAt(callerName, 1), ...kind, ...(!isAgent && using(run.model)) },
		{
			...nodeAt(toolName, 2, 1),
			type: 'n8n-nodes-mediagen.mediaGenTool',
			typeVersion: 1,
			parameters,
			...using(run.mediaGen),
			...(retry && { retryOnFail: true, ...retry }),
		},
		...Object.entries(others).map(([name, other], index) => ({
			...nodeAt(name, 3 + index, 1),
			type: `n8n-nodes-mediagen.${other.node}Tool`,
			typeVersion: 1,
			parameters: other.parameters,
			...using(run.mediaGen),
		})),
	];
	const to = (type: 'main' | 'ai_tool' | 'ai_languageModel') => ({
		[type]: [[{ node: callerName, type, index: 0 }]],
	});
	const connections: IConnections = { [triggerName]: to('main') };
	for (const name of [toolName, ...Object.keys(others)]) connections[name] = to('ai_tool');
	if (first) {
		nodes.push({
			...nodeAt(firstName, 0, 1),
			type: 'n8n-nodes-mediagen.mediaGen',
			typeVersion: 1,
			parameters: first,
			...using(run.mediaGen),
		});
		connections[triggerName] = connectedTo(firstName);
		connections[firstName] = to('main');
	}
	if (isAgent) {
		nodes.push({
			...nodeAt(modelName, 1, 1),
			type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
			typeVersion: 1.2,
			parameters: { model: MODEL, options: {} },
			...using(run.model),
		});
		connections[modelName] = to('ai_languageModel');
	}
	return {
		name: `${caller} with a tool`,
		nodes,
		connections,
		settings: { executionOrder: 'v1' },
		pinData: {
			[triggerName]: scripts.map((script) => ({ json: { chatInput: JSON.stringify(script) } })),
		},
	};
}
