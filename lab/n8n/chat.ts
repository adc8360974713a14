import { randomUUID } from 'node:crypto';
import type { Execution, Rest, SavedWorkflow } from './rest';

/**
 * Writes into the chat of a workflow, as the editor does.
 *
 * @param baseUrl n8n's own address
 * @returns id of the execution that this has started
 */
export async function writeInChat(
	rest: Rest,
	baseUrl: string,
	{ id, nodes }: SavedWorkflow,
	text: string,
): Promise<string> {
	const trigger = nodes.find(({ type }) => type.endsWith('.chatTrigger'));
	const sessionId = randomUUID();
	await rest.workflows.listen(id, trigger?.name ?? '', sessionId);
	const answer = await fetch(`${baseUrl}/webhook-test/${id}/${sessionId}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ action: 'sendMessage', sessionId, chatInput: text }),
	});
	const { executionId } = (await answer.json()) as { executionId?: string };
	if (!executionId) throw new Error(`The chat answered ${answer.status} and started nothing`);
	return executionId;
}

/** What a waiting execution says in the chat, with the buttons that it shows. */
export interface ChatMessage {
	text: string;
	buttons: Array<{ text: string; link: string }>;
}

/** The message that an execution waits with; nothing while it is at work. */
export function messageOf({ status, data }: Execution): ChatMessage | undefined {
	const { lastNodeExecuted = '', runData } = data.resultData;
	if (status !== 'waiting') return undefined;
	const output = runData[lastNodeExecuted]?.at(-1)?.data;
	const item = (output?.main ?? output?.ai_tool)?.[0]?.[0];
	const message = item?.sendMessage as string | ChatMessage | undefined;
	return typeof message === 'string' ? { text: message, buttons: [] } : message;
}

/** Presses a button below a message. */
export async function press({ buttons }: ChatMessage, text: string): Promise<void> {
	const button = buttons.find((one) => one.text === text);
	if (!button) throw new Error(`There is no button "${text}"`);
	// What n8n takes for a program that looks at links presses nothing.
	const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' };
	await fetch(button.link.replace('//localhost:', '//127.0.0.1:'), { headers });
}
