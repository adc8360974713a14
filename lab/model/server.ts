/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import express, { type Request, type Response } from 'express';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** What the model should do, as JSON in the user's message: rounds of tool calls that it makes at the same time. */
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

/** The parts of a request that both APIs have, in one shape. */
interface Asked {
	user: string;
	tools: OfferedTool[];
	answers: Array<{ id: string; text: string }>;
}

type Part = { text?: string };
type Content = string | Part[] | undefined;

const textOf = (content: Content): string =>
	typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join('');

interface ChatMessage {
	role: string;
	content?: Content;
	tool_call_id?: string;
}

function askedByChat({ messages, tools = [] }: Record<string, unknown>): Asked {
	const all = messages as ChatMessage[];
	return {
		user: textOf(all.findLast(({ role }) => role === 'user')?.content),
		tools: (tools as Array<{ function: OfferedTool }>).map((tool) => tool.function),
		answers: all
			.filter(({ role }) => role === 'tool')
			.map(({ tool_call_id: id = '', content }) => ({ id, text: textOf(content) })),
	};
}

type ResponsesItem = ChatMessage & { type?: string; call_id?: string; output?: Content };

function askedByResponses({ input, tools = [] }: Record<string, unknown>): Asked {
	const all = input as ResponsesItem[];
	return {
		user: textOf(all.findLast(({ role }) => role === 'user')?.content),
		tools: tools as OfferedTool[],
		answers: all
			.filter(({ type }) => type === 'function_call_output')
			.map(({ call_id: id = '', output }) => ({ id, text: textOf(output) })),
	};
}

/**
 * What it does where a person writes to it: asks once for what they wrote, with the tool that generates an image. A tool with a
 * review in front takes the arguments of the tool behind it in `toolParameters`.
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

/** What it says at the end: the link of the last picture that it was given, or the text that came instead. */
function conclusionOf(answers: Asked['answers']): string {
	const last = answers.at(-1)?.text;
	if (last === undefined) return 'Done';
	const url = /"url":"([^"]+)"/.exec(last)?.[1];
	const credits = /"estimated_credits":(\d+)/.exec(last)?.[1];
	if (!url) return `No picture was made: ${/"output":"(.*)"/.exec(last)?.[1] ?? last}`;
	return `Here is your picture${credits ? `, for ${credits} credits` : ''}: ${url}`;
}

/**
 * A model with the HTTP APIs of OpenAI that does not think: it acts by a script, or asks for a picture of what a person has
 * written.
 */
export class ModelServer {
	/** All calls that it has made, in order. */
	readonly calls: ModelCall[] = [];

	/** The tools that it was offered last. */
	offered: OfferedTool[] = [];

	private constructor(
		/** Ends in `/v1`. */
		readonly baseUrl: string,
		private readonly stop: () => Promise<void>,
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
			await once(server, 'close');
		});
		app.get('/v1/models', (_request, response) => {
			response.json({ object: 'list', data: [{ id: 'scripted', object: 'model' }] });
		});
		app.post('/v1/chat/completions', (request, response) => model.chat(request, response));
		app.post('/v1/responses', (request, response) => model.respond(request, response));
		return model;
	}

	/** The calls since the last time that this was asked. */
	takeCalls(): ModelCall[] {
		return this.calls.splice(0);
	}

	async close(): Promise<void> {
		await this.stop();
	}

	/** The calls of the next round of the script; none when it is over, and what it says then. */
	private next({ user, tools, answers }: Asked): { calls: ModelCall[]; conclusion: string } {
		this.offered = tools;
		for (const { id, text } of answers) {
			const call = this.calls.find((known) => known.id === id);
			if (call) call.answer = text;
		}
		const { rounds } = scriptOf(user, tools);
		const done = answers.map(({ id }) => Number(/^call_(\d+)_/.exec(id)?.[1]));
		const round = Math.max(-1, ...done) + 1;
		const calls = (rounds[round] ?? []).map(({ about = '', args }) => {
			const name = tools.find(({ description }) => description.includes(about))?.name ?? about;
			const call = { id: `call_${round}_${this.serial++}`, tool: name, args };
			this.calls.push(call);
			return call;
		});
		return { calls, conclusion: conclusionOf(answers) };
	}

	private serial = 0;

	private chat({ body }: Request, response: Response): void {
		const { calls, conclusion } = this.next(askedByChat(body as Record<string, unknown>));
		const toolCalls = calls.map(({ id, tool, args }, index) => ({
			index,
			id,
			type: 'function',
			function: { name: tool, arguments: JSON.stringify(args) },
		}));
		const message = {
			role: 'assistant',
			content: calls.length > 0 ? null : conclusion,
			...(calls.length > 0 && { tool_calls: toolCalls }),
		};
		const finish = calls.length > 0 ? 'tool_calls' : 'stop';
		const base = { id: `chatcmpl-${this.serial}`, created: 1, model: 'scripted' };
		const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
		if (!(body as { stream?: boolean }).stream) {
			const choices = [{ index: 0, message, finish_reason: finish }];
			response.json({ ...base, object: 'chat.completion', choices, usage });
			return;
		}
		const chunk = (delta: object, finish_reason: string | null) =>
			`data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
		response.type('text/event-stream');
		response.end(`${chunk(message, null)}${chunk({}, finish)}data: [DONE]\n\n`);
	}

	private respond({ body }: Request, response: Response): void {
		const { calls, conclusion } = this.next(askedByResponses(body as Record<string, unknown>));
		const output = calls.map(({ id, tool, args }) => ({
			type: 'function_call',
			id: `fc_${id}`,
			call_id: id,
			name: tool,
			arguments: JSON.stringify(args),
			status: 'completed',
		}));
		const last = {
			type: 'message',
			id: `msg_${this.serial}`,
			role: 'assistant',
			status: 'completed',
			content: [{ type: 'output_text', text: conclusion, annotations: [] }],
		};
		response.json({
			id: `resp_${this.serial}`,
			object: 'response',
			created_at: 1,
			status: 'completed',
			model: 'scripted',
			error: null,
			output: calls.length > 0 ? output : [last],
			usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
		});
	}
}
