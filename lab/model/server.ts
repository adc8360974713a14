/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import express from 'express';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/**
 * What the model should do, as JSON in the user's message: rounds of tool calls that it makes at the same
 * time.
 */
export interface Script {
	rounds: ScriptedCall[][];
}

export interface ScriptedCall {
	/** What the description of the tool contains, as a model would look for it; default: the first tool. */
	about?: string;
	args: Record<string, unknown>;
}

/** A call that the model has made, and what it was answered. */
export interface ModelCall {
	id: string;
	tool: string;
	args: Record<string, unknown>;
	/** `undefined` until the model was asked again. */
	answer?: string;
}

export interface OfferedTool {
	name: string;
	description: string;
	parameters: Record<string, unknown>;
}

/** As much of a request for a chat completion as it reads. */
interface Asked {
	messages: Array<{ role: string; content?: Content; tool_call_id?: string }>;
	tools?: Array<{ function: OfferedTool }>;
	stream?: boolean;
}

type Content = string | Array<{ text?: string; image_url?: { url: string } }>;

const textOf = (content: Content = ''): string =>
	typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('');

/**
 * What it does where a person writes to it: asks once for what they wrote, with the tool that generates an
 * image. A tool with a review in front takes the arguments of the tool behind it in `toolParameters`.
 */
function scriptOf(user: string, tools: OfferedTool[]): Script {
	if (user.startsWith('{')) return JSON.parse(user) as Script;
	const about = 'Generate an image';
	const tool = tools.find(({ description }) => description.includes(about));
	if (!tool) return { rounds: [] };
	const isReviewed = 'toolParameters' in Object(tool.parameters.properties);
	const given = { prompt: user };
	const args = isReviewed ? { toolParameters: given, hitlParameters: {} } : given;
	return { rounds: [[{ about, args }]] };
}

/**
 * What it says at the end: the links of the last pictures that it was given, as pictures where it is told to
 * show them, or the text that came instead.
 */
function conclusionOf(system: string, answer?: string): string {
	if (answer === undefined) return 'Done';
	const [, one] = /"url":"([^"]+)"/.exec(answer) ?? [];
	const [, several = ''] = /"urls":\[([^\]]+)\]/.exec(answer) ?? [];
	const urls = several === '' ? [one] : several.split(',').map((url) => url.replaceAll('"', ''));
	const credits = /"estimated_credits":(\d+)/.exec(answer)?.[1];
	if (!one) return `No picture was made: ${/"output":"(.*)"/.exec(answer)?.[1] ?? answer}`;
	const shown = system.includes('![') ? urls.map((url) => `\n\n![](${url})`).join('') : ` ${one}`;
	return `Here is your picture${credits ? `, for ${credits} credits` : ''}:${shown}`;
}

/**
 * A model with the chat completions of OpenAI that does not think: it acts by a script, or asks for a picture
 * of what a person has written.
 */
export class ModelServer {
	/** All calls that it has made, in order. */
	readonly calls: ModelCall[] = [];

	/** The pictures that it was last shown, as data URLs. */
	shown: string[] = [];

	/** The tools that it was offered last. */
	offered: OfferedTool[] = [];

	private serial = 0;

	private constructor(
		/** Ends in `/v1`. */
		readonly baseUrl: string,
		readonly close: () => Promise<void>,
	) {}

	static async start(): Promise<ModelServer> {
		const app = express();
		app.use(express.json({ limit: '16mb' }));
		const server = app.listen(0, '127.0.0.1');
		await once(server, 'listening');
		const { port } = server.address() as AddressInfo;
		const model = new ModelServer(`http://127.0.0.1:${port}/v1`, async () => {
			server.closeAllConnections();
			server.close();
		});
		app.get('/v1/models', (_request, response) => {
			response.json({ object: 'list', data: [{ id: 'scripted', object: 'model' }] });
		});
		app.post('/v1/chat/completions', ({ body }, response) => {
			const asked = body as Asked;
			const completion = model.complete(asked);
			if (!asked.stream) return void response.json(completion);
			const [{ message: delta, ...rest }] = completion.choices;
			const chunk = {
				...completion,
				object: 'chat.completion.chunk',
				choices: [{ ...rest, delta }],
			};
			response.type('text/event-stream').end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
		});
		return model;
	}

	/** The calls since the last time that this was asked. */
	takeCalls(): ModelCall[] {
		return this.calls.splice(0);
	}

	/** The next round of the script; when it is over, what the model says then. */
	private complete({ messages, tools = [] }: Asked) {
		this.offered = tools.map((tool) => tool.function);
		this.shown = messages.flatMap(({ content }) =>
			Array.isArray(content) ? content.flatMap((part) => part.image_url?.url ?? []) : [],
		);
		// Where a conversation is kept, the answers to what was said before come first.
		const said = messages.findLastIndex(({ role }) => role === 'user');
		const answers = messages.slice(said + 1).filter(({ role }) => role === 'tool');
		for (const { tool_call_id: id, content } of answers) {
			const call = this.calls.find((known) => known.id === id);
			if (call) call.answer = textOf(content);
		}
		const user = textOf(messages[said]?.content);
		const done = answers.map(({ tool_call_id: id = '' }) => Number(/^call_(\d+)_/.exec(id)?.[1]));
		const round = Math.max(-1, ...done) + 1;
		const calls = (scriptOf(user, this.offered).rounds[round] ?? []).map(({ about = '', args }) => {
			const tool = this.offered.find(({ description }) => description.includes(about));
			return { id: `call_${round}_${this.serial++}`, tool: tool?.name ?? about, args };
		});
		this.calls.push(...calls);
		const toolCalls = calls.map(({ id, tool, args }, index) => ({
			index,
			id,
			type: 'function',
			function: { name: tool, arguments: JSON.stringify(args) },
		}));
		const last = answers.at(-1);
		// n8n's client calls it so for newer models.
		const isSystem = ({ role }: { role: string }) => ['system', 'developer'].includes(role);
		const system = textOf(messages.find(isSystem)?.content);
		const conclusion = conclusionOf(system, last && textOf(last.content));
		const message =
			calls.length > 0 ? { content: null, tool_calls: toolCalls } : { content: conclusion };
		const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop';
		return {
			id: `chatcmpl-${this.serial}`,
			object: 'chat.completion',
			created: 1,
			model: 'scripted',
			choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }] as const,
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		};
	}
}
