import { GENERATION_MODES, isRecord, type GenerationMode } from '../../../src/api';
import { UNLISTED } from '../../../src/creation/credits/shownToday';
import type { Item } from '../../../src/creation/item';
import { isResource } from '../../../src/base/types';
import { counted, creditWords } from '../../../src/base/texts';
import { jobState } from '../../../src/transport/jobState';
import { pageOf } from '../../../src/transport/pages';
import { priceWords } from '../../../src/transport/priceBook';
import { labelOf } from '../../../src/n8n/pickers/choices';
import type { Replies } from './questions';
import { fine, unanswered, unknown, wrong, type Finding } from './finding';

/*
 * The checks of what the workspace has and spends. The specification shows no field of a balance or of the
 * usage.
 */

const isNumber = (value: unknown): value is number =>
	typeof value === 'number' && Number.isFinite(value);

/** How many credits are left, by the names that a balance may have. */
const availableIn = (body: unknown): number | undefined =>
	isRecord(body) ? [body.available, body.balance, body.credits].find(isNumber) : undefined;

const NOT_NAMED = 'the service answers, but not in fields that are known here.';

export function credits({ reads }: Replies): Finding {
	const { endpoint, result } = reads.credits;
	if (!result.ok) return unanswered(result, endpoint);
	const available = availableIn(result.value.body);
	if (available === undefined) return unknown(NOT_NAMED, 'Look at what Get Credits gives.');
	if (available <= 0) return wrong('No credits are left.', 'Top up the workspace.');
	return fine(`${creditWords(available)} available.`);
}

const LOOK_AT_USAGE = 'Look at what Get Usage gives.';

/** What was spent today: the figure with which _Max Credits per Day_ is compared. */
export function spentToday({ origin }: Item, { reads, today }: Replies): Finding {
	const { endpoint, result } = reads.generations;
	if (!result.ok) return unanswered(result, endpoint);
	const { credits: spent, obstacle, uncounted, countsAll } = today;
	if (obstacle !== undefined) return unknown(`${obstacle.problem}.`, LOOK_AT_USAGE);
	if (countsAll) {
		const all = `All that is listed: ${creditWords(spent)}.`;
		return unknown(`which of the jobs that are listed are of today. ${all}`, LOOK_AT_USAGE);
	}
	const says = `${creditWords(spent)} since midnight in ${origin.timezone}, with what running jobs have reserved.`;
	if (uncounted === undefined) return fine(says);
	return unknown(`what ${UNLISTED} have cost. Generations: ${says}`, LOOK_AT_USAGE);
}

/** The model with which a new node makes media of this kind, and what it has cost. */
function firstModel({ workspace }: Item, { reads }: Replies, mode: GenerationMode): string {
	const { result } = reads[mode];
	if (!result.ok) return `${mode}: not known`;
	const model = pageOf(result.value.body).entries.find(isResource);
	if (model === undefined) return `${mode}: none`;
	const price = priceWords(workspace.prices, mode, model.id) ?? 'price not known yet';
	return `${mode}: ${labelOf(model)} (${price})`;
}

export function firstModels(item: Item, replies: Replies): Finding {
	const asked = GENERATION_MODES.map((mode) => replies.reads[mode]);
	const says = GENERATION_MODES.map((mode) => firstModel(item, replies, mode)).join('; ');
	for (const { endpoint, result } of asked) if (!result.ok) return unanswered(result, endpoint);
	const isEmpty = asked.every(
		({ result }) => result.ok && pageOf(result.value.body).entries.length === 0,
	);
	if (isEmpty)
		return wrong(
			'The workspace lists no models.',
			'Ask whoever runs the service which models it has.',
		);
	return fine(`The first of each kind, which new nodes use: ${says}.`);
}

export function runningJobs({ workspace }: Item, { reads }: Replies): Finding {
	const { endpoint, result } = reads.generations;
	if (!result.ok) return unanswered(result, endpoint);
	const { limit } = workspace.slots;
	const listed = pageOf(result.value.body).entries;
	const running = listed.filter((job) => jobState({ ...job, object: 'generation' }) === 'running');
	const says = `${counted(running.length, 'job')} running; Concurrent Jobs of the credential is ${limit}.`;
	if (running.length > limit)
		return wrong(says, 'Set Concurrent Jobs of the credential to what the plan allows.');
	return fine(running.length === limit ? `${says} A new one waits for one of them to end.` : says);
}
