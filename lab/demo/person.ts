/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { FormPages } from '../n8n/form';
import type { Execution, Rest, SavedWorkflow } from '../n8n/rest';
import { LabError } from '../process/failure';
import { until } from '../process/process';
import type { ExampleRun } from './exampleRun';
import type { Log } from '../process/progress';
import type { Start } from './startExample';

/** Gives the executions of a workflow that have begun since, oldest first and each once. */
export async function executionsFromNow({ executions }: Rest, { id }: { id: string }) {
	const ids = async () => (await executions.list(id)).map((one) => one.id).reverse();
	const known = new Set(await ids());
	return async (): Promise<string[]> => {
		const begun = (await ids()).filter((one) => !known.has(one));
		begun.forEach((one) => known.add(one));
		return begun;
	};
}

/** Prints what comes of the executions that a person starts from now on, until it is called off. */
export async function followPeople(
	run: Pick<ExampleRun, 'follow'>,
	{ rest, log }: Pick<Start, 'rest' | 'log'>,
	workflow: SavedWorkflow,
): Promise<() => void> {
	let isOver = false;
	const begun = await executionsFromNow(rest, workflow);
	const say = (error: unknown) => {
		if (!isOver) log(error instanceof Error ? error.message : String(error));
	};
	void (async () => {
		for (; !isOver; await sleep(1_000))
			for (const id of await begun().catch(() => [])) void run.follow(id).catch(say);
	})();
	return () => {
		isOver = true;
	};
}

const BRIEF = 'A film of ten seconds about a lighthouse at dawn';
const BUDGET = '200';
const STORY = 'A keeper climbs the stairs of her lighthouse.\nShe lights the lamp.';
const LOOK = 'Watercolour, muted colours';
const WISH = 'a lighthouse at dawn, oil on canvas';

/** The pages of example 6 after the first. */
async function answerProduction(form: FormPages, log: Log): Promise<void> {
	await form.shows('Estimated:');
	log(`The plan is approved, with a budget of ${BUDGET} credits.`);
	await form.next('Yes', BUDGET);
	await form.shows('Spent so far');
	log('The assets are reviewed, and put together.');
	await form.next('assemble');
	await form.shows('Your production is ready');
	await form.close();
}

/** The pages of example 18 after the first, whose first field is the contact sheet. */
async function answerStoryboard(form: FormPages, log: Log): Promise<void> {
	await form.shows('Which scenes are filmed?');
	log('The first scene is approved.');
	await form.next('', ['Scene 1']);
	await form.shows('1 of 1 films');
	await form.close();
}

/** Fills in the form of a published example, approves and reviews, as nobody is there to do it. */
export async function fillInForm(
	run: ExampleRun,
	{ rest, log }: Start,
	workflow: SavedWorkflow,
	url: string,
): Promise<void> {
	const begun = await executionsFromNow(rest, workflow);
	const [first, answerPages] = workflow.name.includes('storyboard')
		? ([[STORY, LOOK], answerStoryboard] as const)
		: ([[BRIEF], answerProduction] as const);
	log(`The form gets: ${first[0]}`);
	const form = await FormPages.submit(url, ...first);
	const [execution] = await begun();
	if (!execution) throw new LabError('The form has started nothing');
	const ended = run.follow(execution);
	await Promise.race([ended, answerPages(form, log)]);
	await ended;
}

/** What a waiting execution says in the chat, with the buttons that it shows. */
interface ChatMessage {
	text: string;
	buttons?: Array<{ text: string; link: string }>;
}

/** Asks for a picture in the chat of an example and approves it, as nobody is there to do it. */
export async function talkInChat(
	run: ExampleRun,
	{ rest, baseUrl, log }: Start,
	{ id: workflowId, nodes }: SavedWorkflow,
): Promise<void> {
	const nameOf = (kind: string) => nodes.find(({ type }) => type.endsWith(kind))?.name ?? '';
	log(`The chat is asked for: ${WISH}`);
	const sessionId = randomUUID();
	await rest.workflows.listen(workflowId, nameOf('.chatTrigger'), sessionId);
	const sent = await fetch(`${baseUrl}/webhook-test/${workflowId}/${sessionId}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ action: 'sendMessage', sessionId, chatInput: WISH }),
	});
	const { executionId: id } = (await sent.json()) as { executionId: string };
	const asked = await nextMessage(rest, id);
	log(`The chat asks: ${asked.text}`);
	const button = asked.buttons?.find(({ text }) => text === 'Approve');
	// What n8n takes for a program that looks at links presses nothing.
	const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' };
	await fetch(String(button?.link).replace('//localhost:', '//127.0.0.1:'), { headers });
	log('Approve is pressed.');
	// What is said last waits for a window that shows it.
	const answers = nameOf('.chat');
	await run.follow(
		id,
		({ status, data }) => status === 'waiting' && data.resultData.lastNodeExecuted === answers,
	);
	log(`The chat says: ${(await nextMessage(rest, id, asked.text)).text}`);
	await rest.executions.stop(id);
}

/** The next thing that an execution says in the chat, where it waits for an answer. */
async function nextMessage({ executions }: Rest, id: string, last?: string): Promise<ChatMessage> {
	const said = await until(async () => {
		const message = messageOf(await executions.get(id));
		return message?.text !== last && message;
	});
	if (!said) throw new LabError('The chat says nothing');
	return said;
}

function messageOf({ status, data }: Execution): ChatMessage | undefined {
	const { lastNodeExecuted = '', runData } = data.resultData;
	if (status !== 'waiting') return undefined;
	const output = runData[lastNodeExecuted]?.at(-1)?.data;
	const item = (output?.main ?? output?.ai_tool)?.[0]?.[0];
	const message = item?.sendMessage as string | ChatMessage | undefined;
	return typeof message === 'string' ? { text: message } : message;
}
