import { idAskedFor } from '../api';
import { ok, type Result } from '../base/result';
import type { Json } from '../base/types';
import { valueAt } from '../base/values';
import { faultOf } from './faults';
import type { NodeCall } from './nodeCall';
import { holdsSlot, isMedia, jobState } from '../transport/jobState';
import { retryMayPay } from '../creation/idempotency/idempotency';
import type { Item, ItemOutput, Settings } from '../creation/item';
import type { OperationSpec } from '../creation/operationSpec';
import {
	recordEnd,
	statesOf,
	isOutcomeOpen,
	type ItemMemory,
	type NodeMemory,
} from '../creation/idempotency/itemState';

/*
 * A call of this node as a tool by an AI agent: by what it is known again, and how it is answered before the
 * agent gives up.
 */

/** The parts of a text that are expressions: what stands between double braces. */
const expressionsIn = (text: string): string[] =>
	text
		.split('}}')
		.slice(0, -1)
		.filter((part) => part.includes('{{'))
		.map((part) => part.slice(part.indexOf('{{')));

/** Expressions that read what another node has put out. */
const READS_NODE = /\$\(|\$node\b|\$items\b/;

/**
 * Parts of expressions that give another value each time they are evaluated. A date that is read from a row
 * does not.
 */
const CHANGING = [
	/\$now\b|\$today\b|\$runIndex\b|\$execution\b/,
	/\bDate\s*\(\s*\)|\bnew Date\b(?!\s*\()|\bDate\.now\b|\bDateTime\.(?:now|local|utc)\s*\(\s*(?:\{[^}]*\}\s*)?\)/,
	/ToNow\b|\bdiffNow\b|\btoRelative|\bisInLast\b/,
	/\brandom\w*\s*\(/,
];

/**
 * Whether a tool call asks for more than its arguments, because an expression reads that from another node: a
 * call about another row of that node is another call. Not where an expression gives another value each time,
 * since then no call would ever be found again, and all would be paid for again.
 */
export function readsOtherNode({ node }: NodeCall, { parameters = [] }: OperationSpec): boolean {
	const values = parameters.map((name) => valueAt(node.parameters, name.split('.')));
	const expressions = expressionsIn(JSON.stringify(values)).join('\n');
	const changes = CHANGING.some((pattern) => pattern.test(expressions));
	return READS_NODE.test(expressions) && !changes;
}

/**
 * The place of a tool call in the memory of the node. n8n's run index and item index cannot name it: agents
 * up to version 2 get a new run index for each try, and share one between parallel calls. So its content
 * does, with a number. A call is a new one if the same content has already ended well in this execution. Any
 * other repetition is the same call: while the first one still runs, and in a retry of the execution also
 * once it has ended.
 *
 * @param content a hash of the stored parameters, the arguments of the call, and its request where
 * `readsOtherNode` says so
 */
export function placeOfToolCall({ items }: NodeMemory, content: string, execution: string): string {
	let endedEarlier: string | undefined;
	for (let index = 0; ; index += 1) {
		const call = `call:${content}:${index}`;
		const memory = items[call];
		if (!memory) return endedEarlier ?? call;
		if (memory.endedIn === undefined) return call;
		if (memory.endedIn !== execution) endedEarlier ??= call;
	}
}

const GET_LATER = 'Not finished yet. Get it by its id in about a minute.';

const CALL_AGAIN =
	'Not finished yet. To keep waiting, call this tool again with exactly the same arguments before you answer: nothing is paid for twice.';

const OR_GET_IT = 'Later, get it by its id.';

const NOT_SENT =
	'Not sent yet, for lack of a free job slot or of credits. Call this tool again with exactly the same arguments in about a minute.';

/**
 * Without an idempotency key, only the call that is under way knows its request: the same call gets its end
 * until an agent was told that.
 */
const NO_ANSWER_YET =
	'Not answered yet: whether it was carried out is not known. To keep waiting, call this tool again with exactly the same arguments before you answer: that sends nothing more. After you have got its result, the same call would be paid for again.';

const UNKNOWN_STATUS =
	'The service does not document the status that it has. If it has ended so, a call with other arguments makes a new one. To keep waiting, call this tool again with exactly the same arguments: nothing is paid for twice.';

const NOT_FINISHED = 'Not finished yet. Call this tool again in about a minute.';

interface Call {
	result: Promise<Result<ItemOutput>>;
	/** Fires when the time of the call is over. What was not sent by then is not sent any more. */
	giveUp: AbortController;
}

/**
 * The calls that go on in this process because no agent was told their end yet, by the memory of their item.
 */
const begun = new WeakMap<ItemMemory, Call>();

/** How long a call goes on, so that the next one finds it, in ms. */
const WAIT_MS = 1_800_000;

/** What the agent is told when its time is over and the call is not. */
function unfinished(item: Item): Result<ItemOutput> {
	const { settings, spec, request, workspace } = item;
	if (!spec.creates || settings.dryRun) {
		const id = idAskedFor(spec.endpoint, request.path);
		const status = 'not finished';
		const unread: Json = id === undefined ? { status } : { id, status };
		return ok({ resources: [unread], next: NOT_FINISHED });
	}
	const resources = statesOf(item).flatMap(([, state]): Json[] => {
		if ('job' in state) {
			const seen = workspace.poller.seen(state.job.id);
			return [{ object: spec.object, ...state.job, status: 'queued', ...seen }];
		}
		return isOutcomeOpen(state) ? [{ status: 'sent' }] : [];
	});
	if (resources.length === 0) return ok({ resources: [{ status: 'not sent' }], next: NOT_SENT });
	const jobs = resources.filter(({ id }) => id !== undefined);
	if (retryMayPay(settings.idempotency)) {
		const next = jobs.length === resources.length ? GET_LATER : NO_ANSWER_YET;
		return ok({ resources, next });
	}
	const isUnknown = jobs.some((job) => !holdsSlot(job) && job.object !== 'agent_run');
	if (isUnknown) return ok({ resources, next: UNKNOWN_STATUS });
	const next = jobs.length > 0 ? `${CALL_AGAIN} ${OR_GET_IT}` : CALL_AGAIN;
	return ok({ resources, next });
}

/** What the agent is told of a call that has come to its end. */
function resultForAgent(item: Item, result: Result<ItemOutput>): Result<ItemOutput> {
	const { origin, settings, spec } = item;
	// A dry run leaves what is known of the item as it is.
	if (!result.ok || !spec.creates || settings.dryRun) return result;
	recordEnd(item, origin.requester.execution);
	const [job, ...others] = result.value.resources;
	const isRunning = job && jobState(job, settings.terminalStatuses) === 'running';
	if (!isRunning || others.length > 0 || !isMedia(job)) return result;
	return ok({ ...result.value, next: GET_LATER });
}

/**
 * Why a call is given up. Without a reason Node makes an error, whose stack holds all data of the execution
 * for as long as the call is kept.
 */
const ANSWERED = 'the agent was answered';

type RunItem = (item: Item) => Promise<Result<ItemOutput>>;

function startCall(item: Item, run: RunItem): Call {
	const { memory, settings, spec } = item;
	const giveUp = new AbortController();
	const waitTimeoutMs = Math.max(spec.creates ? WAIT_MS : 0, settings.waitTimeoutMs);
	const patient = { ...settings, waitTimeoutMs };
	// Nobody may wait for the call any more, and catch what it throws.
	const result = run({ ...item, giveUp: giveUp.signal, settings: patient }).catch(faultOf);
	const call = { result, giveUp };
	begun.set(memory, call);
	void result.then((end) => {
		if (isGivenUp(call, end) || isKnownByItsJob(call, end, settings)) begun.delete(memory);
	});
	return call;
}

const isGivenUp = ({ giveUp }: Call, result: Result<ItemOutput>): boolean =>
	giveUp.signal.aborted && !result.ok && result.failure.kind === 'cancelled';

/**
 * Whether a call that was answered too late has ended well, so that the next one finds its job in the memory
 * of the item. Its result would keep the files of the job in memory.
 */
const isKnownByItsJob = (
	{ giveUp }: Call,
	result: Result<ItemOutput>,
	{ idempotency }: Settings,
): boolean => giveUp.signal.aborted && result.ok && !retryMayPay(idempotency);

/**
 * Runs a tool call of an AI agent. The agent gives up after about a minute, so the call is answered before
 * that, whatever happens. What was sent goes on, and the same call again gets its result, also while this one
 * still runs. What was not sent by then is not sent any more. A job that takes longer is a result and no
 * error, because agents up to version 2 would not even pass an error on.
 */
export async function answerInTime(item: Item, run: RunItem): Promise<Result<ItemOutput>> {
	const { memory, settings, workspace } = item;
	const timer = new AbortController();
	const call = begun.get(memory) ?? startCall(item, run);
	const late = workspace.clock.sleep(settings.waitTimeoutMs, timer.signal).then(() => undefined);
	const result = await Promise.race([call.result, late]);
	timer.abort();
	if (!result) call.giveUp.abort(ANSWERED);
	if (!result || isGivenUp(call, result)) return unfinished(item);
	begun.delete(memory);
	return resultForAgent(item, result);
}
