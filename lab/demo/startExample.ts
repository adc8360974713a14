/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Rest, SavedWorkflow } from '../n8n/rest';
import { LabError } from '../process/failure';
import { entryPointsOf } from './entryPoints';
import { makePicture, missEvent } from './events';
import { fillInForm, followPeople, talkInChat, type Stage } from './person';
import type { ExampleRun } from './runExample';
import type { Service } from './service';

/** How long an event of the service may take to start a workflow. */
const eventMs = 60_000;

/** What an example is set going with. */
export interface Start extends Stage {
	service: Pick<Service, 'access' | 'admin'>;
	/** Whether nobody is there to begin one that a person begins, so that this does it for them. */
	unattended: boolean;
	/** What has to be called at the end of the start. */
	onEnd: (step: () => void) => void;
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
	const { rest, service } = start;
	const { byHand, byEvent, byPerson, needsGeneration, needsMissedEvent } = entryPointsOf(workflow);
	if (byEvent || byPerson === 'form') {
		// What an earlier start has published knows another address.
		if (workflow.active) await rest.workflows.unpublish(workflow.id);
		await rest.workflows.publish(workflow);
	}
	const [setUp, ...others] = byHand;
	const missed = needsMissedEvent && service.admin;
	if (missed) start.log('An event gets lost first: nobody is at the address of its webhook.');
	const takeAway = missed ? await missEvent(service.access, missed) : undefined;
	try {
		if (setUp) await run.from(setUp);
	} finally {
		await takeAway?.();
	}
	if (needsGeneration) {
		start.log('A picture is made first, as by somebody else who uses the workspace.');
		await makePicture(service.access);
		// The trigger polls once a minute at most, so it is run by hand.
		if (!byEvent) {
			start.log(
				'Run by hand the trigger takes up to ten of the newest; published, only what is new.',
			);
		}
	}
	for (const trigger of others) await run.from(trigger);
	if (byEvent) await run.follow(await startedByEvent(rest, workflow));
	if (byPerson) await beginByPerson(run, start, workflow, byPerson);
	else run.conclude();
}

async function beginByPerson(
	run: ExampleRun,
	start: Start,
	workflow: SavedWorkflow,
	by: 'form' | 'chat',
): Promise<void> {
	const form = workflow.nodes.find(({ type }) => type.endsWith('.formTrigger'));
	const url = `${start.baseUrl}/form/${form?.webhookId ?? ''}`;
	if (start.unattended) {
		if (by === 'form') await fillInForm(run, start, workflow, url);
		else await talkInChat(run, start, workflow);
		return;
	}
	start.log(
		by === 'form'
			? `Fill in the form at ${url}`
			: 'Open the workflow, choose Open chat below it, and ask for a picture.',
	);
	start.onEnd(followPeople(run, start, workflow));
}

async function startedByEvent(rest: Rest, { id, name }: SavedWorkflow): Promise<string> {
	for (const deadline = Date.now() + eventMs; Date.now() < deadline; await sleep(250)) {
		const executions = await rest.executions.list(id);
		const started = executions.find(({ mode }) => mode === 'webhook');
		if (started) return started.id;
	}
	throw new LabError(`No event has started "${name}"`);
}
