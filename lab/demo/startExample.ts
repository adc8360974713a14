/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- not published */
import type { INode } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, press, writeInChat } from '../n8n/chat';
import type { Access } from '../n8n/credential';
import { FormPages } from '../n8n/form';
import { finalStatuses, type Rest, type SavedWorkflow, type WorkflowData } from '../n8n/rest';
import { LabError } from '../process/failure';
import { until } from '../process/process';
import type { Log } from '../process/progress';
import type { SandboxAdmin } from '../sandbox/admin';
import type { Service } from './service';
import type { ExampleRun } from './show';

/** What an example is set going with. */
export interface Start {
	rest: Rest;
	/** n8n's own address. */
	baseUrl: string;
	service: Pick<Service, 'access' | 'admin'>;
	log: Log;
	/** Whether nobody is there to begin one that a person begins, so that this does it for them. */
	unattended: boolean;
	/** What has to be called at the end of the start. */
	onEnd: (step: () => void) => void;
}

/** What sets an example going. */
export interface EntryPoints {
	/** Triggers that are run by hand, in this order. */
	byHand: string[];
	/** The trigger that waits for an event of the service. */
	byEvent?: string;
	/** What a person does first, in a form or a chat. */
	byPerson?: 'form' | 'chat';
	/** Whether it finds something to do only after a generation has ended. */
	needsGeneration: boolean;
	/** Whether it finds something to do only after an event could not be delivered. */
	needsMissedEvent: boolean;
	/** The data table in which people write prompts. */
	table?: string;
}

const kindOf = ({ type }: INode) => type.split('.').at(-1) ?? '';

/** The columns of a data table that the node makes. */
const columnsOf = ({ parameters }: INode): string[] =>
	((parameters.columns as { column?: Array<{ name: string }> } | undefined)?.column ?? []).map(
		({ name }) => name,
	);

const PROMPTS = [
	...['A lighthouse on a cliff at sunset', 'A paper boat on a puddle', 'A fox asleep under a fern'],
	...['An old tram in the rain', 'A greenhouse at night', 'A market under red awnings'],
];

/** Writes a few prompts into the table of an example, as people do, where it has none yet. */
async function writePrompts({ rest, log }: Start, { nodes }: WorkflowData, table: string) {
	const maker = nodes.find(({ parameters }) => parameters.tableName === table);
	if (!(await rest.tables.has(table)))
		await rest.tables.create(table, maker ? columnsOf(maker) : []);
	if ((await rest.tables.rows(table)).length > 0) return;
	await rest.tables.insert(
		table,
		PROMPTS.map((prompt) => ({ prompt })),
	);
	log(`The data table "${table}" gets ${PROMPTS.length} prompts.`);
}

/** Reads from an example's triggers how it is set going. Two triggers that lead to the same node are one. */
export function entryPointsOf({ nodes, connections }: WorkflowData): EntryPoints {
	const named = (...wanted: string[]) =>
		nodes.filter((node) => wanted.includes(kindOf(node))).map(({ name }) => name);
	const nextOf = (name: string) => connections[name]?.main?.[0]?.[0]?.node;
	const byHand = [
		...named('manualTrigger'),
		// By hand n8n gives it an example of an error.
		...named('errorTrigger'),
		...named('scheduleTrigger', 'mediaGenPollingTrigger'),
	].filter((name, index, all) => all.findIndex((one) => nextOf(one) === nextOf(name)) === index);
	const [byEvent] = named('mediaGenTrigger');
	const [byForm] = named('formTrigger');
	const [byChat] = named('chatTrigger');
	const table = nodes.find((node) => columnsOf(node).includes('prompt'))?.parameters.tableName;
	return {
		byHand,
		byEvent,
		byPerson: byForm ? 'form' : byChat ? 'chat' : undefined,
		needsGeneration: byEvent !== undefined || named('mediaGenPollingTrigger').length > 0,
		needsMissedEvent: nodes.some(({ parameters }) => parameters.resource === 'delivery'),
		table: table as string | undefined,
	};
}

/**
 * Sets an example going in the way that its triggers ask for, and follows it to its end. What a person
 * starts is left to them where there is one: a line says where, in a form or a chat.
 */
export async function startExample(
	run: ExampleRun,
	start: Start,
	workflow: SavedWorkflow,
): Promise<void> {
	const { rest, service, log } = start;
	const entry = entryPointsOf(workflow);
	const { byHand, byEvent, byPerson, needsGeneration, needsMissedEvent, table } = entry;
	if (table !== undefined) await writePrompts(start, workflow, table);
	if (byEvent || byPerson === 'form') {
		// What an earlier start has published knows another address.
		if (workflow.active) await rest.workflows.unpublish(workflow.id);
		await rest.workflows.publish(workflow);
	}
	const [setUp, ...others] = byHand;
	const missed = needsMissedEvent && service.admin;
	if (missed) log('An event gets lost first: nobody is at the address of its webhook.');
	const takeAway = missed ? await missEvent(service.access, missed) : undefined;
	try {
		if (setUp) await run.from(setUp);
	} finally {
		await takeAway?.();
	}
	if (needsGeneration) {
		log('A picture is made first, as by somebody else who uses the workspace.');
		await makePicture(service.access);
		// The trigger polls once a minute at most, so it is run by hand.
		if (!byEvent)
			log('Run by hand the trigger takes up to ten of the newest; published, only what is new.');
	}
	for (const trigger of others) await run.from(trigger);
	if (byEvent) {
		const started = async () =>
			(await rest.executions.list(workflow.id)).find(({ mode }) => mode === 'webhook');
		const execution = await until(started, { everyMs: 250 });
		if (!execution) throw new LabError(`No event has started "${workflow.name}"`);
		await run.follow(execution.id);
	}
	if (!byPerson) return run.conclude();
	const form = workflow.nodes.find((node) => kindOf(node) === 'formTrigger');
	const url = `${start.baseUrl}/form/${form?.webhookId ?? ''}`;
	if (start.unattended) {
		if (byPerson === 'form') await fillInForm(run, start, workflow, url);
		else await talkInChat(run, start, workflow);
		return;
	}
	log(
		byPerson === 'form'
			? `Fill in the form at ${url}`
			: 'Open the workflow, choose Open chat below it, and ask for a picture.',
	);
	start.onEnd(followPeople(run, start, workflow));
}

type Answer = Record<string, unknown> & { id: string };

async function call(
	{ baseUrl, apiKey }: Access,
	method: string,
	path: string,
	body?: object,
): Promise<Answer> {
	const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
	const answer = await fetch(`${baseUrl}${path}`, { method, headers, body: JSON.stringify(body) });
	if (!answer.ok) throw new LabError(`The service answered ${answer.status} to ${method} ${path}`);
	return (await answer.json().catch(() => ({}))) as Answer;
}

async function untilHolds(what: string, test: () => Promise<boolean>): Promise<void> {
	if (!(await until(test, { everyMs: 250 })))
		throw new LabError(`${what} took longer than a minute`);
}

/** Makes a picture, as another program does that uses the same workspace, and waits until it has ended. */
async function makePicture(access: Access): Promise<void> {
	const prompt = 'A letter that somebody else sent';
	const body = { mode: 'image', model: 'studio/image-1', prompt };
	const { id } = await call(access, 'POST', '/generations', body);
	const path = `/generations/${id}`;
	await untilHolds(
		'The picture',
		async () => (await call(access, 'GET', path)).status !== 'queued',
	);
}

/**
 * A picture whose event the sandbox could not deliver and has given up, because nobody was there.
 *
 * @returns takes the webhook away again, which would fail with every further event
 */
async function missEvent(access: Access, admin: SandboxAdmin): Promise<() => Promise<void>> {
	const { deliverySchedule } = await admin.settings();
	await admin.settings({ deliverySchedule: [0] });
	const { id } = await call(access, 'POST', '/webhooks', {
		url: 'https://localhost:1/nobody-is-here',
		events: ['generation.completed'],
		description: 'Of example 12: nobody is there',
	});
	const takeAway = async () => {
		await call(access, 'DELETE', `/webhooks/${id}`);
	};
	try {
		await makePicture(access);
		await untilHolds('The failed delivery', async () => {
			const { data } = await call(access, 'GET', `/webhooks/${id}/deliveries`);
			return (data as Array<{ status: string }>).some(({ status }) => status === 'failed');
		});
	} catch (error) {
		await takeAway();
		throw error;
	} finally {
		await admin.settings({ deliverySchedule });
	}
	return takeAway;
}

const BRIEF = 'A film of ten seconds about a lighthouse at dawn';
const BUDGET = '200';
const WISH = 'a lighthouse at dawn, oil on canvas';

/** Fills in the form of a published example, approves and reviews, as nobody is there to do it. */
async function fillInForm(
	run: ExampleRun,
	{ rest, log }: Start,
	{ id }: SavedWorkflow,
	url: string,
): Promise<void> {
	const earlier = new Set((await rest.executions.list(id)).map((one) => one.id));
	log(`The form gets: ${BRIEF}`);
	const form = await FormPages.submit(url, BRIEF);
	const execution = (await rest.executions.list(id)).find((one) => !earlier.has(one.id));
	if (!execution) throw new LabError('The form has started nothing');
	const answerPages = async () => {
		await form.shows('Estimated:');
		log(`The plan is approved, with a budget of ${BUDGET} credits.`);
		await form.next('Yes', BUDGET);
		await form.shows('Spent so far');
		log('The assets are reviewed, and put together.');
		await form.next('assemble');
		await form.shows('Your production is ready');
		await form.close();
	};
	const ended = run.follow(execution.id);
	await Promise.race([ended, answerPages()]);
	await ended;
}

/** Asks for a picture in the chat of an example and approves it, as nobody is there to do it. */
async function talkInChat(
	run: ExampleRun,
	{ rest, baseUrl, log }: Start,
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
		const execution = await rest.executions.get(id);
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
	{ rest, log }: Pick<Start, 'rest' | 'log'>,
	{ id }: SavedWorkflow,
): () => void {
	let isOver = false;
	let known: Set<string> | undefined;
	const look = async () => {
		const ids = (await rest.executions.list(id)).map((one) => one.id).reverse();
		// What was there before is nobody's of now.
		known ??= new Set(ids);
		for (const started of ids) {
			if (known.has(started)) continue;
			known.add(started);
			void run.follow(started).catch((error: unknown) => {
				if (!isOver) log(error instanceof Error ? error.message : String(error));
			});
		}
	};
	void (async () => {
		for (; !isOver; await sleep(1_000)) await look().catch(() => undefined);
	})();
	return () => {
		isOver = true;
	};
}
