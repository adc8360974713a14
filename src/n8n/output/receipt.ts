import type { NodeExecutionHint } from 'n8n-workflow';
import { isRecord } from '../../base/types';
import { creditWords } from '../../base/texts';
import { textOf } from '../../api';
import { filesIn } from '../../transport/jobState';
import { countAskedFor } from '../../transport/priceBook';
import type { IdempotencyMode, Item, Settings } from '../../creation/item';
import type { OperationSpec } from '../../creation/operationSpec';
import { accountOf, type Account } from '../../creation/credits/ledger';
import type { Run } from '../../creation/run';
import { errorContextOf } from './errorContext';
import { describeFailure } from './errors';
import type { End, Running } from '../nodeCall';

/*
 * The receipt: a sentence that n8n shows above the output of a run, in every tab. It says what was made, for
 * how many credits, and what is left to do. Only operations that create or check something have one. Where a
 * run fails, n8n shows no such sentence, and the error says it instead.
 */

/** n8n shows these sentences as HTML, and some words may be those of the service. */
const escaped = (text: string): string =>
	text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

const bold = (text: string): string => `<b>${escaped(text)}</b>`;

/** What a job makes is called so: one, and several. */
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

/** What the user changes to get a new one is called so: one, and several. */
const ASKED: Record<string, [one: string, several: string]> = {
	generation: ['prompt', 'prompts'],
	speech_generation: ['text', 'texts'],
};

/** How the user gets a new one, where the same was given again. */
function anew({ object = '' }: OperationSpec, mode: IdempotencyMode, isSeveral: boolean): string {
	const [one, several] = ASKED[object] ?? ['request', 'requests'];
	if (mode === 'content')
		return isSeveral ? `change the ${several} for new ones` : `change the ${one} for a new one`;
	if (mode === 'custom')
		return isSeveral ? 'other Own Keys make new ones' : 'another Own Key makes a new one';
	return isSeveral ? 'execute this again for new ones' : 'execute this again for a new one';
}

/** The two meanings of _Same in the Editor_: in the editor, and outside of it. */
const IN_THE_EDITOR =
	'Same in the Editor: for a day, executing the same again here gives the same, for 0 credits.';
const IN_PRODUCTION = 'Same in the Editor: outside of the editor, each execution makes new ones.';

/** What is said of _Avoid Paying Twice_, where it is not set to the usual choice. */
function choiceWords(settings: Settings | undefined, isAgain: boolean): string | undefined {
	const { idempotency = 'execution', sameInEditor } = settings ?? {};
	if (sameInEditor) return idempotency === 'content' ? IN_THE_EDITOR : IN_PRODUCTION;
	if (!isAgain) return undefined;
	if (idempotency === 'content') return 'Avoid Paying Twice: Same Request Within 24 Hours.';
	return idempotency === 'custom' ? 'Avoid Paying Twice: Own Key.' : undefined;
}

/** An item for which the service has made only some of what was asked for. */
interface MadeInPart {
	made: number;
	wanted: number;
	/** Which item it is, in words. */
	ofItem: string;
	warning: string;
}

function madeInPartOf(ends: End[]): MadeInPart[] {
	const found: MadeInPart[] = [];
	for (const { item, result } of ends) {
		if (!result.ok || !item) continue;
		const partial = result.value.resources.find(({ status }) => status === 'partially_completed');
		if (!partial) continue;
		const { warning = '' } = result.value;
		const wanted = countAskedFor(item.request.body);
		// As its warning counts them: the ids may be those of all that were asked for.
		const made = filesIn(partial).length;
		found.push({ made, wanted, ofItem: wordsOfItem(item), warning });
	}
	return found;
}

/** What a run has cost, as the end of a sentence. */
function costWords({ bought, mayBeOld }: Account): string {
	const stated = bought.filter((credits) => credits !== undefined);
	const unknown = bought.length - stated.length;
	const all = creditWords(stated.reduce((sum, credits) => sum + credits, 0));
	const sum = mayBeOld > 0 ? `at most ${all}` : all;
	if (unknown === 0) return `, for ${sum}`;
	if (stated.length === 0) return '; the service does not say for how many credits';
	return `, for ${sum} and what the service does not say of ${unknown}`;
}

const wordsOfItem = ({ itemIndex, run: { total } }: Item): string =>
	total > 1 ? ` [item ${itemIndex + 1} of ${total}]` : '';

/** A receipt in the form in which n8n takes it. */
const asReceipt = (type: 'info' | 'warning', sentences: string[]): NodeExecutionHint => {
	return { message: sentences.join(' '), type, location: 'outputPane' };
};

/** The receipt of an operation that words it itself, such as Check Setup. */
function receiptOfSummary(
	summary: NonNullable<OperationSpec['summary']>,
	ends: End[],
): NodeExecutionHint | undefined {
	const rows = ends.flatMap(({ result }) => (result.ok ? result.value.resources : []));
	if (rows.length === 0) return undefined;
	const { message, isFine } = summary(rows);
	return asReceipt(isFine ? 'info' : 'warning', [bold(message)]);
}

/** The receipt of a run that has bought nothing: all that it puts out was there before. */
function receiptOfSame(spec: OperationSpec, ends: End[]): NodeExecutionHint {
	const item = ends[0]?.item;
	const [one, several] = madeNames(spec, item);
	const isSeveral = ends.length > 1;
	const same = bold(`The same ${isSeveral ? several : one} as before: 0 credits`);
	const mode = item?.settings.idempotency ?? 'execution';
	const sentences = [`${same}; ${anew(spec, mode, isSeveral)}.`];
	const choice = choiceWords(item?.settings, true);
	if (choice !== undefined) sentences.push(choice);
	return asReceipt('info', sentences);
}

/**
 * How much was made. A single item may make several pictures; of several items their number is what a table
 * of rows asks for.
 */
function howMuch(spec: OperationSpec, ends: End[]): string {
	const isWaited = ends.some(({ item }) => item?.settings.waitForCompletion);
	const isStarted = spec.output === 'job' && !isWaited;
	const [end] = ends;
	if (ends.length === 1 && end?.result.ok && spec.object === 'generation') {
		if (isStarted) return '1 job started';
		const { resources } = end.result.value;
		const count = resources.reduce((sum, job) => sum + Math.max(1, filesIn(job).length), 0);
		const [one, several] = madeNames(spec, end.item);
		return `${count} ${count === 1 ? one : several} made`;
	}
	const good = ends.filter(({ result }) => result.ok).length;
	return `${good} of ${ends.length} ${isStarted ? 'started' : 'made'}`;
}

/** How much was made and for how many credits, and what is said of items that were made only in part. */
function madeSentences(spec: OperationSpec, account: Account, ends: End[]) {
	const cost = spec.charges && account.bought.length > 0 ? costWords(account) : '';
	const first = `${howMuch(spec, ends)}${cost}.`;
	const madeInPart = madeInPartOf(ends);
	const [partial] = madeInPart;
	if (!partial) return { first, inPart: undefined };
	const [one, several] = madeNames(spec, ends[0]?.item);
	const share = `${partial.made} of ${partial.wanted} ${partial.wanted === 1 ? one : several}`;
	const firstWarning = `${partial.warning}${partial.ofItem}`;
	if (ends.length === 1) return { first: `${share}${cost}.`, inPart: firstWarning };
	return { first, inPart: `${madeInPart.length} in part. The first: ${share}: ${firstWarning}` };
}

/** Which jobs have cost nothing, and which have cost something and failed. */
function accountSentences({ inVain, old, mayBeOld }: Account): string[] {
	const sentences: string[] = [];
	if (inVain > 0) sentences.push(`Failed jobs had reserved ${creditWords(inVain)}.`);
	if (old > 0) sentences.push(`${old} ${old === 1 ? 'was' : 'were'} there before, for 0 credits.`);
	if (mayBeOld > 0) sentences.push(`${mayBeOld} may have been there before, for 0 credits.`);
	return sentences;
}

const COUNTS_ALL =
	'Max Credits per Day has counted all that the service lists, as it does not say what is of today.';

/**
 * The receipt of a run that has made something.
 * @param failures what is said of the items that have failed
 */
function receiptOfMade(
	spec: OperationSpec,
	account: Account,
	today: Run['today'],
	ends: End[],
	failures: string[],
): NodeExecutionHint {
	const good = ends.flatMap(({ result }) => (result.ok ? [result.value] : []));
	const { first, inPart } = madeSentences(spec, account, ends);
	const sentences = [bold(first), ...failures];
	if (inPart !== undefined) sentences.push(escaped(inPart));
	if (spec.charges) sentences.push(...accountSentences(account));
	const warning = good.map((itemOutput) => itemOutput.warning).find((one) => one !== undefined);
	if (inPart === undefined && warning !== undefined) sentences.push(escaped(`${warning}.`));
	const choice = spec.charges ? choiceWords(ends[0]?.item?.settings, false) : undefined;
	if (choice !== undefined && good.length > 0) sentences.push(choice);
	if ([...today.values()].some(({ countsAll }) => countsAll)) sentences.push(COUNTS_ALL);
	const isLeft = failures.length > 0 || inPart !== undefined || warning !== undefined;
	return asReceipt(isLeft ? 'warning' : 'info', sentences);
}

/**
 * The receipt of the items that were no dry run.
 * @param failures what is said of the items that have failed
 */
function receiptOfSent(spec: OperationSpec, run: Run, ends: End[], failures: string[]) {
	const account = accountOf(run);
	const hasBought = account.bought.length > 0;
	if (spec.charges && !hasBought && failures.length === 0) return receiptOfSame(spec, ends);
	return receiptOfMade(spec, account, run.today, ends, failures);
}

/** Words the receipt of a run, of which these are all items; `undefined` if it has none. */
export function receiptOf(running: Running, ends: End[]): NodeExecutionHint | undefined {
	const { run } = running;
	const { spec } = running.operation;
	if (spec.summary) return receiptOfSummary(spec.summary, ends);
	if (!spec.creates || ends.length === 0) return undefined;
	const failures: string[] = [];
	const broken = ends.filter(({ result }) => !result.ok);
	const [firstBroken] = broken;
	if (firstBroken && !firstBroken.result.ok) {
		// In the words of its row.
		const context = { ...errorContextOf(running, firstBroken), isRow: true };
		const { message } = describeFailure(firstBroken.result, context);
		const first = broken.length === 1 ? ':' : '. The first:';
		failures.push(`${broken.length} failed${first} ${escaped(message)}.`);
	}
	const dry = run.drySummary;
	const sent = ends.filter(({ item }) => item && !item.settings.dryRun);
	// A call of an agent was answered before its dry run was over.
	if (!dry && sent.length === 0 && failures.length === 0) return undefined;
	if (dry && sent.length === 0) {
		const first = bold('Dry run: nothing was sent, nothing was paid.');
		return asReceipt('warning', [first, `${escaped(dry.wouldBe)}.`, ...failures]);
	}
	const notDry = ends.filter(({ item }) => !item?.settings.dryRun);
	const receipt = receiptOfSent(spec, run, notDry, failures);
	// An expression may make a dry run of some items only.
	if (!dry) return receipt;
	const rest = `${ends.length - notDry.length} as a dry run, not sent: ${escaped(dry.wouldBe)}.`;
	return asReceipt('warning', [receipt.message, rest]);
}
