/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, press, writeInChat } from '../n8n/chat';
import { FormPages } from '../n8n/form';
import type { Execution, Rest, SavedWorkflow } from '../n8n/rest';
import { finalStatuses } from '../n8n/rest/executions';
import { LabError } from '../process/failure';
import type { Log } from '../process/progress';
import type { ExampleRun } from './runExample';

/** Where a person works on an example. */
export interface Stage {
	rest: Rest;
	/** n8n's own address. */
	baseUrl: string;
	log: Log;
}

const BRIEF = 'A film of ten seconds about a lighthouse at dawn';
const BUDGET = '200';
const WISH = 'a lighthouse at dawn, oil on canvas';

/** Fills in the form of a published example, approves and reviews, as nobody is there to do it. */
export async function fillInForm(
	run: ExampleRun,
	{ rest, log }: Stage,
	{ id }: SavedWorkflow,
	url: string,
): Promise<void> {
	const earlier = new Set((await rest.executions.list(id)).map((one) => one.id));
	log(`The form gets: ${BRIEF}`);
	const form = await FormPages.submit(url, BRIEF);
	const execution = (await rest.executions.list(id)).find((one) => !earlier.has(one.id));
	if (!execution) throw new LabError('The form has started nothing');
	const ended = run.follow(execution.id);
	await Promise.race([ended, answerPages(form, log)]);
	await ended;
}

async function answerPages(form: FormPages, log: Log): Promise<void> {
	await form.shows('Estimated:');
	log(`The plan is approved, with a budget of ${BUDGET} credits.`);
	await form.next('Yes', BUDGET);
	await form.shows('Spent so far');
	log('The assets are reviewed, and put together.');
	await form.next('assemble');
	await form.shows('Your production is ready');
	await form.close();
}

/** Asks for a picture in the chat of an example and approves it, as nobody is there to do it. */
export async function talkInChat(
	run: ExampleRun,
	{ rest, baseUrl, log }: Stage,
	workflow: SavedWorkflow,
): Promise<void> {
	log(`The chat is asked for: ${WISH}`);
	const id = await writeInChat(rest, baseUrl, workflow, WISH);
	const asked = await nextMessage(rest, id, '');
	log(`The chat asks: ${asked}`);
	await press(messageOf(await rest.executions.get(id)) ?? { text: '', buttons: [] }, 'Approve');
	log('Approve is pressed.');
	// What is said last waits for a window that shows it.
	await run.follow(
		id,
		({ status, data }) => status === 'waiting' && data.resultData.lastNodeExecuted === 'Reply',
	);
	log(`The chat says: ${await nextMessage(rest, id, asked)}`);
	await rest.executions.stop(id);
}

/** The next thing that an execution says in the chat. */
async function nextMessage(rest: Rest, id: string, last: string): Promise<string> {
	for (;;) {
		const execution: Execution = await rest.executions.get(id);
		const text = messageOf(execution)?.text;
		if (text !== undefined && text !== last) return text;
		if (finalStatuses.includes(execution.status)) {
			const { error } = execution.data.resultData;
			throw new LabError(`The chat says nothing: ${error?.message ?? execution.status}`);
		}
		await sleep(250);
	}
}

/** Prints what comes of the executions that a person starts from now on, until it is called off. */
export function followPeople(
	run: ExampleRun,
	{ rest, log }: Stage,
	{ id }: SavedWorkflow,
): () => void {
	let isOver = false;
	const known = new Set<string>();
	let isFirst = true;
	const look = async () => {
		for (const execution of (await rest.executions.list(id)).reverse()) {
			if (known.has(execution.id)) continue;
			known.add(execution.id);
			if (isFirst) continue;
			void run.follow(execution.id).catch((error: unknown) => {
				if (!isOver) log(error instanceof Error ? error.message : String(error));
			});
		}
		isFirst = false;
	};
	void (async () => {
		for (; !isOver; await sleep(1_000)) await look().catch(() => undefined);
	})();
	return () => {
		isOver = true;
	};
}
