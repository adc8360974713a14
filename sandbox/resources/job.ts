import type { Delivery, EventKind } from '../../src/api';
import { meterLite } from '../credits/prices';
import type { UsageMode } from '../credits/usage';
import type { JobEntity, JobOutcome, JobProblem, OutputEntity, Recipe } from '../entities';
import type { EventResource } from '../eventShapes';
import type { FaultSubject } from '../faults';
import type { MediaKind } from '../media/types';
import type { Service } from '../service';
import type { Table, Workspace } from '../store';

/** One kind of job: where its jobs are, what they answer, and how they go on. */
export interface JobKind<T extends JobEntity> {
	tableOf(workspace: Workspace): Table<T>;
	/** A job as it goes over the wire. */
	format(entity: T, workspace: Workspace): object;
	/** What a job makes, and what was asked for, for people. */
	describe(entity: T): { kind: string; text: string };
	/** What is done with a job when it is due. */
	advance(workspace: Workspace, entity: T): void | Promise<void>;
}

/** Lets a job go on when it is due, also after a restart; one that waits for a client is not due. */
export function schedule<T extends JobEntity>(
	workspace: Workspace,
	job: T,
	{ advance }: Pick<JobKind<T>, 'advance'>,
): void {
	const { clock, report } = workspace.service;
	if (job.settledAt !== null || job.dueAt === null) return;
	const goOn = async () => await advance(workspace, job);
	clock.at(job.dueAt, () => void goOn().catch(report));
}

type Paced = keyof Service['settings']['jobSeconds'];

/** What jobs of all kinds begin with. */
export function newJob(
	workspace: Workspace,
	id: string,
	{ table, pace, ...subject }: { table: Table<JobEntity>; pace: Paced } & FaultSubject,
): JobEntity {
	const { clock } = workspace.service;
	return {
		id,
		workspace: workspace.id,
		createdAt: table.stamp(clock.now()),
		dueAt: dueAt(workspace, pace, id) + clock.milliseconds(delayOf(workspace, subject)),
		settledAt: null,
		estimatedCredits: 0,
		spentCredits: 0,
		...endOf(workspace, subject),
		problems: [],
		outputs: [],
	};
}

/** By how many seconds a fault makes a job longer; 0 for what is made at once. */
function delayOf({ id, service }: Workspace, about: FaultSubject): number {
	if (about.text === undefined) return 0;
	return service.faults.take('job_slow', { ...about, workspace: id })?.seconds ?? 0;
}

/**
 * How a job will end. Faults of the admin path come first; then, as a fiction for people and tests,
 * a text that contains `[fail]` or `[partial]`.
 */
function endOf(workspace: Workspace, about: FaultSubject): Pick<JobEntity, 'outcome' | 'strange'> {
	if (about.text === undefined) return { outcome: 'succeed' };
	const subject = { ...about, workspace: workspace.id };
	const rule = workspace.service.faults.take('job_status', subject);
	if (!rule) return { outcome: outcomeOf(workspace, subject) };
	const { status, when } = rule;
	const outcome = when === 'ended' ? 'fail' : outcomeOf(workspace, subject);
	return { outcome, strange: { status, when } };
}

function outcomeOf({ service: { faults } }: Workspace, subject: FaultSubject): JobOutcome {
	if (faults.take('job_fail', subject)) return 'fail';
	if (faults.take('job_partial', subject)) return 'partial';
	if (subject.text?.includes('[fail]')) return 'fail';
	return subject.text?.includes('[partial]') ? 'partial' : 'succeed';
}

/** The instant at which a job is done: its kind's time, longer or shorter by a seeded share. */
export function dueAt({ service }: Workspace, pace: Paced, id: string): number {
	const { clock, random, settings } = service;
	const share = random.unit(`duration:${id}`) * 2 - 1;
	return clock.ahead(settings.jobSeconds[pace] * (1 + share * settings.jobJitter));
}

/** Ends a job: spends what it has cost, gives back what else was reserved, and counts it. */
export function settle({ id, service }: Workspace, entity: JobEntity, mode: UsageMode): void {
	const { spentCredits, outputs } = entity;
	service.ledger.settle(id, entity.id, spentCredits);
	service.usage.add(id, mode, spentCredits, outputs.length);
	entity.settledAt = service.clock.now();
}

/** The status that a job shows; a fault may show one that no document names. */
export function statusOf(entity: JobEntity & { status: string }, usual = entity.status): string {
	const { strange, settledAt, dueAt } = entity;
	const isRunning = settledAt === null && dueAt !== null;
	const isStrange = strange?.when === 'ended' ? settledAt !== null : isRunning;
	return strange && isStrange ? strange.status : usual;
}

/** Tells the webhooks where a job has come to; there is no event for an end that no document names. */
export function announce(
	workspace: Workspace,
	{ strange }: JobEntity,
	event: EventKind,
	resource: EventResource,
): void {
	if (strange?.when === 'ended') return;
	workspace.service.dispatcher.emit(workspace, event, resource);
}

const UNMADE = { type: 'generation_failed', message: 'The model could not make this output.' };
export const problem = (output?: string): JobProblem => ({ ...UNMADE, output });

/** Open point 1: which field carries the errors of a job is not shown. */
export function errorFields(problems: JobProblem[]) {
	if (problems.length === 0) return {};
	const errors = problems.map(({ output, ...said }) => ({ ...said, output_id: output }));
	return { errors };
}

/** Credits that completed characters of lite speech cost; what is left of one is carried over. */
export function spendCharacters(workspace: Workspace, characters: number): number {
	const { credits, carry } = meterLite(workspace.entity.liteCarry, characters);
	workspace.entity.liteCarry = carry;
	workspace.save();
	return credits;
}

/** Gives a file that was made its address. */
export function publish(
	workspace: Workspace,
	output: { id: string; kind: MediaKind; recipe: Recipe; delivery?: Delivery },
): OutputEntity {
	return workspace.outputs.put({
		workspace: workspace.id,
		createdAt: workspace.outputs.stamp(workspace.service.clock.now()),
		...output,
		delivery: output.delivery ?? 'public_url',
	});
}

/** What all recipes of a job have in common. */
export const recipeOf = (
	{ service }: Workspace,
	id: string,
	prompt: string,
	index = 0,
): Recipe => ({
	prompt,
	index,
	seed: Math.floor(service.random.unit(`media:${id}`) * 2 ** 31),
});

/** The address of an output that never expires: previews, portraits, an agent's assets. */
export function publicUrl({ service }: Workspace, id: string, kind: MediaKind): string {
	return service.links.output({ id, kind }).url;
}
