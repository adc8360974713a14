import { LIMITS, type Delivery } from '../../src/contract';
import { formatMicroseconds, readDateTime } from '../clock';
import { meterLite } from '../credits/prices';
import type { JobEntity, JobOutcome, JobProblem, OutputEntity, Recipe, Stored } from '../entities';
import type { FaultSubject } from '../faults';
import type { MediaKind } from '../media/types';
import type { Service } from '../service';
import type { Table, Workspace } from '../store';

/** What jobs of all kinds begin with. */
export function newJob(
	service: Service,
	kind: keyof Service['settings']['jobSeconds'],
	{ id, table, subject }: { id: string; table: Table<JobEntity>; subject: FaultSubject },
): JobEntity {
	return {
		id,
		workspace: subject.workspace ?? '',
		createdAt: table.stamp(service.clock.now()),
		dueAt: dueAt(service, kind, id),
		settledAt: null,
		estimatedCredits: 0,
		spentCredits: 0,
		outcome: outcomeOf(service, subject),
		problems: [],
		outputs: [],
	};
}

/**
 * How a job will end. Faults of the admin path come first; then, as a fiction for people and tests,
 * a text that contains `[fail]` or `[partial]`.
 */
function outcomeOf({ faults }: Service, subject: FaultSubject): JobOutcome {
	if (subject.text === undefined) return 'succeed';
	if (faults.take('job_fail', subject)) return 'fail';
	if (faults.take('job_partial', subject)) return 'partial';
	if (subject.text?.includes('[fail]')) return 'fail';
	return subject.text?.includes('[partial]') ? 'partial' : 'succeed';
}

/** The instant at which a job is done: its kind's time, longer or shorter by a seeded share. */
export function dueAt(
	{ clock, random, settings }: Service,
	kind: keyof Service['settings']['jobSeconds'],
	id: string,
): number {
	const seconds = settings.jobSeconds[kind] * random.jitter(`duration:${id}`, settings.jobJitter);
	return clock.ahead(seconds);
}

const UNMADE = { type: 'generation_failed', message: 'The model could not make this output.' };
export const problem = (output?: string): JobProblem => ({ ...UNMADE, output });

/** Open point 1: which field carries the errors of a job is not shown. */
export function errorFields(problems: JobProblem[]) {
	if (problems.length === 0) return {};
	const errors = problems.map(({ type, message, output }) => ({
		type,
		message,
		output_id: output,
	}));
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
	{ clock }: Service,
	workspace: Workspace,
	output: { id: string; kind: MediaKind; recipe: Recipe; delivery?: Delivery },
): OutputEntity {
	const createdAt = workspace.outputs.stamp(clock.now());
	return workspace.outputs.put({
		workspace: workspace.id,
		createdAt,
		...output,
		delivery: output.delivery ?? 'public_url',
	});
}

/** What all recipes of a job have in common. */
export const recipeOf = ({ random }: Service, id: string, prompt: string, index = 0): Recipe => ({
	prompt,
	index,
	seed: random.integer(`media:${id}`),
});

/** The address of an output that never expires: previews, portraits, an agent's assets. */
export function publicUrl({ links }: Service, id: string, kind: MediaKind): string {
	return links.output({ id, kind, delivery: 'public_url' }).url;
}

/** A page of a table, newest first. */
export function listPage<T extends Stored>(
	table: Table<T>,
	query: { limit?: number; cursor?: string },
	format: (entity: T) => object,
) {
	const before = query.cursor === undefined ? undefined : readDateTime(query.cursor);
	const { entities, more } = table.page(query.limit ?? LIMITS.listLimit.default, before);
	const last = entities.at(-1);
	const next = more && last ? formatMicroseconds(last.createdAt) : null;
	return { object: 'list', data: entities.map(format), has_more: more, next_cursor: next };
}

/** All of a table, or a page of it where `paginateAll` says so (open point 16). */
export function listAll<T extends Stored>(
	{ settings }: Service,
	table: Table<T>,
	query: { limit?: number; cursor?: string },
	format: (entity: T) => object,
) {
	return settings.paginateAll ? listPage(table, query, format) : wholeList(table.all().map(format));
}

export const wholeList = (data: object[]) => ({
	object: 'list',
	data,
	has_more: false,
	next_cursor: null,
});

export const ok = (body: object) => ({ status: 200, body });

/** Open point 14: what a delete answers. */
export const deleted = (object: string, id: string) => ok({ id, object, deleted: true });
