import type { INode } from 'n8n-workflow';
import type { Rest, SavedWorkflow, WorkflowData } from '../n8n/rest';
import { LabError } from '../process/failure';
import { until } from '../process/process';
import type { Log } from '../process/progress';
import type { ExampleRun } from './exampleRun';
import { isOurs } from './examples';
import { makePicture, missEvent } from './otherProgram';
import { executionsFromNow, fillInForm, followPeople, talkInChat } from './person';
import type { Service } from './service';

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

const kindOf = ({ type }: INode) => type.split('.').at(-1) ?? '';

/** What sets an example going: its triggers by name, and what has to be there before. */
export function entryPointsOf({ nodes }: WorkflowData) {
	const find = (kind: string) => nodes.find((node) => kindOf(node) === kind);
	const table = nodes
		.map(({ parameters }) => parameters)
		.find(({ tableName, columns }) => tableName && JSON.stringify(columns).includes('"prompt"'));
	const makesMedia = nodes.some(
		(node) => isOurs(node) && /^generate/.test(String(node.parameters.operation)),
	);
	/** By hand n8n gives an error trigger an example of an error. */
	const byHand = find('manualTrigger') ?? find('errorTrigger') ?? find('scheduleTrigger');
	return {
		/** The one that is run by hand. */
		byHand: byHand?.name,
		/** The one that waits for an event of the service, and the one that polls it. */
		byEvent: find('mediaGenTrigger')?.name,
		polling: find('mediaGenPollingTrigger')?.name,
		/** What a person does first. Beside another trigger a form is for later. */
		form: byHand ? undefined : find('formTrigger')?.webhookId,
		chat: find('chatTrigger')?.name,
		/** Whether an event has to get lost before it finds something to do. */
		missesEvent: nodes.some(({ parameters }) => parameters.resource === 'delivery'),
		/** Whether it rests until the dispatcher, another example, wakes it. */
		rests: nodes.some(({ parameters }) => parameters.resume === 'webhook'),
		/** The data table in which people write prompts. */
		table: table?.tableName as string | undefined,
		/** Whether it only shows what another example has made of that table. */
		looksBack: table !== undefined && !makesMedia,
	};
}

const PROMPTS = [
	'A lighthouse on a cliff at sunset',
	'A paper boat on a puddle',
	'A fox asleep under a fern',
	'An old tram in the rain',
	'A greenhouse at night',
	'A market under red awnings',
].map((prompt) => ({ prompt }));

/** People write prompts into a table, which the example's first run makes. */
async function fillTable({ rest, log }: Start, table: string, make: () => Promise<void>) {
	if (!(await rest.tables.has(table))) await make();
	const rows = await rest.tables.rows(table);
	if (rows.length === 0) {
		await rest.tables.insert(table, PROMPTS);
		log(`The data table "${table}" gets ${PROMPTS.length} prompts.`);
	} else if (rows.every(({ status }) => status))
		log(`All prompts in the data table "${table}" are done: add some in the editor, Data tables.`);
}

/** What an earlier start has published knows another address. */
async function publishAnew({ rest }: Start, workflow: SavedWorkflow): Promise<void> {
	if (workflow.active) await rest.workflows.unpublish(workflow.id);
	await rest.workflows.publish(workflow);
}

/** @throws LabError where a person has deleted it */
async function otherExample({ rest }: Start, number: string): Promise<SavedWorkflow> {
	const all = await rest.workflows.list();
	const found = all.find(({ name }) => name.startsWith(`MediaGen ${number}:`));
	if (!found) throw new LabError(`Example ${number}, which this one needs, was deleted`);
	return await rest.workflows.get(found.id);
}

/** Example 8 makes what example 17 shows. */
async function runBatch(start: Start, table: string): Promise<void> {
	const batch = await otherExample(start, '8');
	const { byHand = '' } = entryPointsOf(batch);
	const { executions, workflows } = start.rest;
	const run = async () => void (await executions.wait(await workflows.run(batch.id, byHand)));
	await fillTable(start, table, run);
	start.log(`"${batch.name}" runs first.`);
	await run();
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
	const { rest, service, log, unattended } = start;
	const { byHand, byEvent, polling, form, chat, missesEvent, rests, table, looksBack } =
		entryPointsOf(workflow);
	if (!byHand && !byEvent && !form && !chat)
		return log('Another program starts this one: the note in the workflow says how.');
	if (table && looksBack) await runBatch(start, table);
	else if (table && byHand) await fillTable(start, table, async () => await run.from(byHand));
	if (byEvent || form) await publishAnew(start, workflow);
	if (rests) await publishAnew(start, await otherExample(start, '15b'));
	const isMissed = missesEvent && service.admin !== undefined;
	if (isMissed) log('An event gets lost first: nobody is at the address of its webhook.');
	const takeAway = isMissed ? await missEvent(service) : undefined;
	try {
		if (byHand) await run.from(byHand);
	} finally {
		await takeAway?.();
	}
	const begun = await executionsFromNow(rest, workflow);
	if (byEvent || polling) {
		log('A picture is made first, as by somebody else who uses the workspace.');
		await makePicture(service.access);
	}
	// The trigger polls once a minute at most, so it is run by hand.
	if (polling) {
		log('Run by hand the trigger takes up to ten of the newest; published, only what is new.');
		await run.from(polling);
	}
	if (byEvent) {
		const execution = await until(async () => (await begun())[0], { everyMs: 250 });
		if (!execution) throw new LabError(`No event has started "${workflow.name}"`);
		await run.follow(execution);
	}
	if (!form && !chat) return run.conclude();
	const url = `${start.baseUrl}/form/${form}`;
	if (unattended && form) return await fillInForm(run, start, workflow, url);
	if (unattended) return await talkInChat(run, start, workflow);
	const ask = 'Open the workflow, choose Open chat below it, and ask for a picture.';
	log(form ? `Fill in the form at ${url}` : ask);
	start.onEnd(await followPeople(run, start, workflow));
}
