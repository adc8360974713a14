import type { INode } from 'n8n-workflow';
import type { Rest, SavedWorkflow, WorkflowData } from '../n8n/rest';
import { LabError } from '../process/failure';
import { until } from '../process/process';
import type { Log } from '../process/progress';
import type { ExampleRun } from './exampleRun';
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

/** What sets an example going. */
export interface EntryPoints {
	/** Triggers that are run by hand, in this order. */
	byHand: string[];
	/** The trigger that waits for an event of the service. */
	byEvent?: string;
	/** What a person does first, in a form or a chat. */
	byPerson?: 'form' | 'chat';
	/** What has to have happened before it finds something to do. */
	needs?: 'generation' | 'missed event';
	/** The data table in which people write prompts. */
	table?: string;
}

const kindOf = ({ type }: INode) => type.split('.').at(-1) ?? '';

/** Reads from an example's triggers how it is set going. Two triggers that lead to the same node are one. */
export function entryPointsOf({ nodes, connections }: WorkflowData): EntryPoints {
	// By hand n8n gives an error trigger an example of an error.
	const byHand = ['manualTrigger', 'errorTrigger', 'scheduleTrigger', 'mediaGenPollingTrigger'];
	const find = (kind: string) => nodes.find((node) => kindOf(node) === kind)?.name;
	const nextOf = (name: string) => connections[name]?.main?.[0]?.[0]?.node;
	const byEvent = find('mediaGenTrigger');
	const listens = byEvent ?? find('mediaGenPollingTrigger');
	const misses = nodes.some(({ parameters }) => parameters.resource === 'delivery');
	const table = nodes
		.map(({ parameters }) => parameters)
		.find(({ tableName, columns }) => tableName && JSON.stringify(columns).includes('"prompt"'));
	return {
		byHand: byHand
			.flatMap((kind) => find(kind) ?? [])
			.filter((name, at, all) => all.findIndex((one) => nextOf(one) === nextOf(name)) === at),
		byEvent,
		byPerson: find('formTrigger') ? 'form' : find('chatTrigger') ? 'chat' : undefined,
		needs: listens ? 'generation' : misses ? 'missed event' : undefined,
		table: table?.tableName as string | undefined,
	};
}

const PROMPTS = [
	...['A lighthouse on a cliff at sunset', 'A paper boat on a puddle', 'A fox asleep under a fern'],
	...['An old tram in the rain', 'A greenhouse at night', 'A market under red awnings'],
].map((prompt) => ({ prompt }));

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
	const { byHand, byEvent, byPerson, needs, table } = entryPointsOf(workflow);
	const [setUp, ...others] = byHand;
	if (!setUp && !byEvent && !byPerson)
		return log('Another program starts this one: the note in the workflow says how.');
	// People write prompts into its table, which its first run makes.
	if (table !== undefined && setUp) {
		if (!(await rest.tables.has(table))) await run.from(setUp);
		const rows = await rest.tables.rows(table);
		if (rows.length === 0) await rest.tables.insert(table, PROMPTS);
		if (rows.length === 0) log(`The data table "${table}" gets ${PROMPTS.length} prompts.`);
		else if (rows.every(({ status }) => status))
			log(
				`All prompts in the data table "${table}" are done: add some in the editor, Data tables.`,
			);
	}
	if (byEvent || byPerson === 'form') {
		// What an earlier start has published knows another address.
		if (workflow.active) await rest.workflows.unpublish(workflow.id);
		await rest.workflows.publish(workflow);
	}
	const isMissed = needs === 'missed event' && service.admin !== undefined;
	if (isMissed) log('An event gets lost first: nobody is at the address of its webhook.');
	const takeAway = isMissed ? await missEvent(service) : undefined;
	try {
		if (setUp) await run.from(setUp);
	} finally {
		await takeAway?.();
	}
	const begun = await executionsFromNow(rest, workflow);
	if (needs === 'generation') {
		log('A picture is made first, as by somebody else who uses the workspace.');
		await makePicture(service.access);
	}
	// The trigger polls once a minute at most, so it is run by hand.
	if (needs === 'generation' && !byEvent)
		log('Run by hand the trigger takes up to ten of the newest; published, only what is new.');
	for (const trigger of others) await run.from(trigger);
	if (byEvent) {
		const execution = await until(async () => (await begun())[0], { everyMs: 250 });
		if (!execution) throw new LabError(`No event has started "${workflow.name}"`);
		await run.follow(execution);
	}
	if (!setUp && !byEvent && !byPerson)
		log('A client of MCP starts it: the note in the workflow says what the client is given.');
	if (!byPerson) return run.conclude();
	const form = workflow.nodes.find((node) => kindOf(node) === 'formTrigger');
	const url = `${start.baseUrl}/form/${form?.webhookId ?? ''}`;
	const isForm = byPerson === 'form';
	if (unattended && isForm) return await fillInForm(run, start, workflow, url);
	if (unattended) return await talkInChat(run, start, workflow);
	const ask = 'Open the workflow, choose Open chat below it, and ask for a picture.';
	log(isForm ? `Fill in the form at ${url}` : ask);
	start.onEnd(await followPeople(run, start, workflow));
}
