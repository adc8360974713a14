import type { NodeExecutionHint } from 'n8n-workflow';
import type { Failed } from '../base/result';
import { isRecord } from '../base/types';
import { textOf } from '../api';
import { outputCount } from '../transport/jobState';
import { countAskedFor, creditWords } from '../transport/priceBook';
import type { IdempotencyMode, Item, OperationSpec, Settings } from '../creation/item';
import type { Account, Run } from '../creation/run';
import type { End } from './runItem';

/*
 * One sentence about a run that creates or checks, which n8n shows above its output in every tab: what was
 * made, for how many credits, and what is left to do. Where the run fails, n8n shows no such sentence, and
 * the error says it.
 */

/** What has become of an item. */
type Ended = Pick<End, 'item' | 'result'>;

/** n8n renders these sentences as HTML, and the words may be those of the service. */
const escaped = (text: string): string =>
	text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

const bold = (text: string): string => `<b>${escaped(text)}</b>`;

/** What a job makes, one and several. */
const MADE: Record<string, [one: string, several: string]> = {
	image: ['picture', 'pictures'],
	video: ['video', 'videos'],
	audio: ['file', 'files'],
	speech_generation: ['speech', 'speeches'],
	agent_run: ['run', 'runs'],
	persona: ['persona', 'personas'],
	voice: ['voice', 'voices'],
};

function madeNames({ object = '' }: OperationSpec, item: Item | undefined): [string, string] {
	const body = item?.request.body;
	const mode = isRecord(body) ? textOf(body.mode) : undefined;
	return MADE[mode ?? object] ?? MADE[object] ?? ['job', 'jobs'];
}

/** What the user changes for another one, one and several. */
const ASKED: Record<string, [one: string, several: string]> = {
	generation: ['prompt', 'prompts'],
	speech_generation: ['text', 'texts'],
};

/** How a new one is made where the same was given again. */
function anew({ object = '' }: OperationSpec, mode: IdempotencyMode, isSeveral: boolean): string {
	const [one, several] = ASKED[object] ?? ['request', 'requests'];
	if (mode === 'content')
		return isSeveral ? `change the ${several} for new ones` : `change the ${one} for a new one`;
	if (mode === 'custom')
		return isSeveral ? 'other Own Keys make new ones' : 'another Own Key makes a new one';
	return isSeveral ? 'execute this again for new ones' : 'execute this again for a new one';
}

/** Which of its two meanings Same in the Editor had. */
const IN_THE_EDITOR =
	'Same in the Editor: for a day, executing the same again here gives the same, for 0 credits.';
const IN_PRODUCTION = 'Same in the Editor: outside of the editor, each execution makes new ones.';

/** What is said of a choice that is not the usual one. */
function choiceWords(settings: Settings | undefined, isAgain: boolean): string | undefined {
	const { idempotency = 'execution', sameInEditor } = settings ?? {};
	if (sameInEditor) return idempotency === 'content' ? IN_THE_EDITOR : IN_PRODUCTION;
	if (!isAgain) return undefined;
	if (idempotency === 'content') return 'Avoid Paying Twice: Same Request Within 24 Hours.';
	return idempotency === 'custom' ? 'Avoid Paying Twice: Own Key.' : undefined;
}

/** An item of which the service has made a part only. */
interface Part {
	made: number;
	asked: number;
	/** Of its item. */
	place: string;
	warning: string;
}

function partsIn(ends: Ended[]): Part[] {
	const parts: Part[] = [];
	for (const { item, result } of ends) {
		if (!result.ok || !item) continue;
		const partial = result.value.resources.find(({ status }) => status === 'partially_completed');
		if (!partial) continue;
		const { warning = '' } = result.value;
		const asked = countAskedFor(item.request.body);
		parts.push({ made: outputCount(partial), asked, place: placeOf(item), warning });
	}
	return parts;
}

/** What a run has cost, as the end of a sentence. */
function costWords({ bought, mayBeOld }: Account): string {
	const known = bought.filter((credits) => credits !== undefined);
	const unknown = bought.length - known.length;
	const all = creditWords(known.reduce((sum, credits) => sum + credits, 0));
	const sum = mayBeOld > 0 ? `at most ${all}` : all;
	if (unknown === 0) return `, for ${sum}`;
	if (known.length === 0) return '; the service does not say for how many credits';
	return `, for ${sum} and what the service does not say of ${unknown}`;
}

const placeOf = ({ itemIndex, run: { total } }: Item): string =>
	total > 1 ? ` [item ${itemIndex + 1} of ${total}]` : '';

/** What an operation says itself of its rows. */
function ownSummary(
	summary: NonNullable<OperationSpec['summary']>,
	ends: Ended[],
): NodeExecutionHint | undefined {
	const rows = ends.flatMap(({ result }) => (result.ok ? result.value.resources : []));
	if (rows.length === 0) return undefined;
	const { message, isFine } = summary(rows);
	return { message: bold(message), type: isFine ? 'info' : 'warning', location: 'outputPane' };
}

/**
 * @param ends of all items of the run
 * @param wordsOf how the row of an item that has failed is worded
 */
export async function receiptOf<One extends Ended>(
	spec: OperationSpec,
	run: Run,
	ends: One[],
	wordsOf: (end: One, failed: Failed) => string,
): Promise<NodeExecutionHint | undefined> {
	if (spec.summary) return ownSummary(spec.summary, ends);
	if (!spec.creates || ends.length === 0) return undefined;
	const failed = ends.flatMap((end) => (end.result.ok ? [] : [{ end, why: end.result }]));
	const failures = failed.length;
	const sentences: string[] = [];
	if (failed[0]) {
		const { end, why } = failed[0];
		sentences.push(`${failures} failed, the first: ${escaped(wordsOf(end, why))}`);
	}
	const hint = (type: 'info' | 'warning', first: string): NodeExecutionHint => {
		return { message: [first, ...sentences].join(' '), type, location: 'outputPane' };
	};

	const dry = await run.cache.dry;
	if (dry) {
		const first = bold('Dry run: nothing was sent, nothing was paid.');
		return hint('warning', `${first} ${escaped(dry.wouldBe)}.`);
	}

	const { account } = run;
	const settings = ends[0]?.item?.settings;
	const good = ends.filter(({ result }) => result.ok);
	const [one, several] = madeNames(spec, ends[0]?.item);
	const isSeveral = good.length > 1;
	const isKnown = spec.charges === true && account.bought.length === 0 && good.length > 0;
	if (isKnown && failures === 0) {
		const same = `The same ${isSeveral ? several : one} as before: 0 credits`;
		const mode = settings?.idempotency ?? 'execution';
		const choice = choiceWords(settings, true);
		if (choice !== undefined) sentences.push(choice);
		return hint('info', `${bold(same)}; ${anew(spec, mode, isSeveral)}.`);
	}

	const [partial, ...further] = partsIn(ends);
	const isWaited = ends.some(({ item }) => item?.settings.waitForCompletion);
	const isMaking = spec.output === 'job' && !isWaited;
	const cost = spec.charges && account.bought.length > 0 ? costWords(account) : '';
	let first = `${good.length} of ${ends.length} ${isMaking ? 'started' : 'made'}${cost}.`;
	if (partial) {
		const { made, asked, place, warning } = partial;
		const share = `${made} of ${asked} ${asked === 1 ? one : several}`;
		if (ends.length === 1) first = `${share}${cost}.`;
		const count = further.length + 1;
		const which = ends.length === 1 ? '' : `${count} in part, the first: ${share}: `;
		sentences.push(escaped(`${which}${warning}${place}`));
	}
	const { inVain, old: again, mayBeOld } = account;
	if (spec.charges && inVain > 0)
		sentences.push(`What has failed had reserved ${creditWords(inVain)}.`);
	if (again > 0 && spec.charges)
		sentences.push(`${again} ${again === 1 ? 'was' : 'were'} there before, for 0 credits.`);
	if (mayBeOld > 0 && spec.charges)
		sentences.push(`${mayBeOld} may have been there before, for 0 credits.`);
	const warning = good.flatMap(({ result }) => (result.ok ? (result.value.warning ?? []) : []))[0];
	if (!partial && warning !== undefined) sentences.push(escaped(`${warning}.`));
	const choice = spec.charges ? choiceWords(settings, false) : undefined;
	if (choice !== undefined && good.length > 0) sentences.push(choice);
	const uncounted = run.today?.uncounted;
	if (uncounted !== undefined)
		sentences.push(`Max Credits per Day has not counted what ${uncounted} have cost today.`);
	if (run.today?.countsAll)
		sentences.push(
			'Max Credits per Day has counted all that the service lists, as it does not say what is of today.',
		);
	const isLeft = failures > 0 || partial !== undefined || warning !== undefined;
	return hint(isLeft ? 'warning' : 'info', bold(first));
}
