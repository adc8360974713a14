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

/** A receipt, as n8n shows it. */
const shown = (type: 'info' | 'warning', sentences: string[]): NodeExecutionHint => {
	return { message: sentences.join(' '), type, location: 'outputPane' };
};

/** What an operation says itself of its rows. */
function ownSummary(
	summary: NonNullable<OperationSpec['summary']>,
	ends: Ended[],
): NodeExecutionHint | undefined {
	const rows = ends.flatMap(({ result }) => (result.ok ? result.value.resources : []));
	if (rows.length === 0) return undefined;
	const { message, isFine } = summary(rows);
	return shown(isFine ? 'info' : 'warning', [bold(message)]);
}

/** Of a run that has bought nothing: all that it puts out was there before. */
function ofSame(spec: OperationSpec, ends: Ended[]): NodeExecutionHint {
	const item = ends[0]?.item;
	const [one, several] = madeNames(spec, item);
	const isSeveral = ends.length > 1;
	const same = bold(`The same ${isSeveral ? several : one} as before: 0 credits`);
	const mode = item?.settings.idempotency ?? 'execution';
	const sentences = [`${same}; ${anew(spec, mode, isSeveral)}.`];
	const choice = choiceWords(item?.settings, true);
	if (choice !== undefined) sentences.push(choice);
	return shown('info', sentences);
}

/** How much was made and for how many credits, and what the service has made a part of only. */
function madeSentences(spec: OperationSpec, account: Account, ends: Ended[]) {
	const good = ends.filter(({ result }) => result.ok).length;
	const cost = spec.charges && account.bought.length > 0 ? costWords(account) : '';
	const isWaited = ends.some(({ item }) => item?.settings.waitForCompletion);
	const made = spec.output === 'job' && !isWaited ? 'started' : 'made';
	const parts = partsIn(ends);
	const [partial] = parts;
	if (!partial) return { first: `${good} of ${ends.length} ${made}${cost}.`, ofParts: undefined };
	const [one, several] = madeNames(spec, ends[0]?.item);
	const share = `${partial.made} of ${partial.asked} ${partial.asked === 1 ? one : several}`;
	const said = `${partial.warning}${partial.place}`;
	if (ends.length === 1) return { first: `${share}${cost}.`, ofParts: said };
	return {
		first: `${good} of ${ends.length} ${made}${cost}.`,
		ofParts: `${parts.length} in part, the first: ${share}: ${said}`,
	};
}

/** What has cost nothing, and what has cost something for nothing. */
function accountSentences({ inVain, old, mayBeOld }: Account): string[] {
	const sentences: string[] = [];
	if (inVain > 0) sentences.push(`What has failed had reserved ${creditWords(inVain)}.`);
	if (old > 0) sentences.push(`${old} ${old === 1 ? 'was' : 'were'} there before, for 0 credits.`);
	if (mayBeOld > 0) sentences.push(`${mayBeOld} may have been there before, for 0 credits.`);
	return sentences;
}

/** What a limit of the day could not do. */
function daySentences(today: Run['today']): string[] {
	const sentences: string[] = [];
	if (today?.uncounted !== undefined)
		sentences.push(`Max Credits per Day has not counted what ${today.uncounted} have cost today.`);
	if (today?.countsAll)
		sentences.push(
			'Max Credits per Day has counted all that the service lists, as it does not say what is of today.',
		);
	return sentences;
}

/** @param failures what is said of those that have failed */
function ofMade(
	spec: OperationSpec,
	{ account, today }: Pick<Run, 'account' | 'today'>,
	ends: Ended[],
	failures: string[],
): NodeExecutionHint {
	const good = ends.flatMap(({ result }) => (result.ok ? [result.value] : []));
	const { first, ofParts } = madeSentences(spec, account, ends);
	const sentences = [bold(first), ...failures];
	if (ofParts !== undefined) sentences.push(escaped(ofParts));
	if (spec.charges) sentences.push(...accountSentences(account));
	const warning = good.map((outcome) => outcome.warning).find((one) => one !== undefined);
	if (ofParts === undefined && warning !== undefined) sentences.push(escaped(`${warning}.`));
	const choice = spec.charges ? choiceWords(ends[0]?.item?.settings, false) : undefined;
	if (choice !== undefined && good.length > 0) sentences.push(choice);
	sentences.push(...daySentences(today));
	const isLeft = failures.length > 0 || ofParts !== undefined || warning !== undefined;
	return shown(isLeft ? 'warning' : 'info', sentences);
}

/** What was sent, made or found. @param failures what is said of those that have failed */
function ofSent(spec: OperationSpec, run: Run, ends: Ended[], failures: string[]) {
	const { account, today } = run;
	const hasBought = account.bought.length > 0;
	if (spec.charges && !hasBought && failures.length === 0) return ofSame(spec, ends);
	return ofMade(spec, { account, today }, ends, failures);
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
	const failures: string[] = [];
	const broken = ends.filter(({ result }) => !result.ok);
	const [firstBroken] = broken;
	if (firstBroken && !firstBroken.result.ok) {
		const words = escaped(wordsOf(firstBroken, firstBroken.result));
		failures.push(`${broken.length} failed, the first: ${words}`);
	}
	const dry = await run.cache.dry;
	const sent = ends.filter(({ item }) => item && !item.settings.dryRun);
	if (dry && sent.length === 0) {
		const first = bold('Dry run: nothing was sent, nothing was paid.');
		return shown('warning', [first, `${escaped(dry.wouldBe)}.`, ...failures]);
	}
	const notDry = ends.filter(({ item }) => !item?.settings.dryRun);
	const receipt = ofSent(spec, run, notDry, failures);
	// Where an expression decides for each item.
	if (!dry) return receipt;
	const rest = `${ends.length - notDry.length} as a dry run, not sent: ${escaped(dry.wouldBe)}.`;
	return shown('warning', [receipt.message, rest]);
}
