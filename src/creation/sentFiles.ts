import { unlessAborted } from '../base/abort';
import { BoundedMap, getOrCreate } from '../base/maps';
import { fail, ok, type Result } from '../base/result';
import type { Clock, Json } from '../base/types';
import { isKeyExpired, type NodeMemory, type SentFile } from './idempotency/itemState';
import type { Item } from './item';
import { expiryOf } from './outputs';

/*
 * The same bytes are sent once: of all items of an execution that need a file, one sends it, and the others
 * wait for that and name the same URL. A file that is forgotten here is sent again under the same key, to
 * which the service gives the same URL for as long as it keeps the key.
 */

/** The names under which a file is remembered. */
export interface FileNames {
	/** In the memory of the node, which n8n keeps with the execution. */
	execution: string;
	/** In this process, for whoever makes the same request and for the next click in the editor. */
	elsewhere: string[];
}

/** The most files that this process remembers: those of the rows of a day. Each takes few bytes. */
const MAX_FILES = 20_000;

const inProcess = new BoundedMap<string, SentFile>(MAX_FILES);

/** Files on their way, by the memory of the node that they belong to. */
const underWay = new WeakMap<NodeMemory, Map<string, Promise<Result<Json>>>>();

/** So long before its stated end a file is not named any more, in ms: the service still has to fetch it. */
const MARGIN_MS = 60_000;

/**
 * So long after it was sent a file is named whatever its end, in ms: by our clock the end may be over at
 * once, and each row would send the file again.
 */
const FRESH_MS = 30_000;

function isUsable({ file, at }: SentFile, clock: Clock): boolean {
	const now = clock.now();
	const until = Math.max(expiryOf(file) - MARGIN_MS, at + FRESH_MS);
	return !isKeyExpired(at, now) && until > now;
}

type Context = Pick<Item, 'nodeMemory' | 'host' | 'workspace'>;

/**
 * Finds a file by one of its names. The name of the same request comes first: a request that is sent again
 * under its key must name the same URL.
 */
function findSent(
	{ nodeMemory, workspace }: Context,
	{ execution, elsewhere }: FileNames,
): SentFile | undefined {
	const candidates = [
		...elsewhere.map((name) => inProcess.get(name)),
		nodeMemory.uploads?.[execution],
	];
	return candidates.find((one) => one && isUsable(one, workspace.clock));
}

function rememberSent({ nodeMemory, workspace }: Context, names: FileNames, file: Json): void {
	const sent = { file, at: workspace.clock.now() };
	const keep = (earlier: SentFile | undefined): SentFile =>
		earlier && isUsable(earlier, workspace.clock) ? earlier : sent;
	nodeMemory.uploads ??= {};
	nodeMemory.uploads[names.execution] = keep(nodeMemory.uploads[names.execution]);
	for (const name of names.elsewhere) inProcess.set(name, keep(inProcess.get(name)));
}

/** A request that names the file was refused. As the file may be gone, it is sent anew next time. */
export function forgetFile(
	{ nodeMemory }: Pick<Item, 'nodeMemory'>,
	{ execution, elsewhere }: FileNames,
): void {
	delete nodeMemory.uploads?.[execution];
	for (const name of elsewhere) inProcess.delete(name);
}

/**
 * Sends a file, unless it is known or on its way. Whoever has waited in vain for another item to send it
 * tries once more.
 * @returns what the service says of the file
 */
export async function sendUnlessSent(
	item: Context,
	names: FileNames,
	send: () => Promise<Result<Json>>,
): Promise<Result<Json>> {
	const { signal } = item.host.channel;
	const ofNode = getOrCreate(underWay, item.nodeMemory, () => new Map());
	let hasFailed = false;
	for (;;) {
		const sentFile = findSent(item, names);
		if (sentFile) {
			rememberSent(item, names, sentFile.file);
			return ok(sentFile.file);
		}
		const others = ofNode.get(names.execution);
		if (!others) break;
		// If sending throws for the item that sends the file, that item reports it.
		const waiting = (signal ? unlessAborted(signal, others) : others).catch(() => undefined);
		const sent = await waiting;
		if (signal?.aborted) return fail({ kind: 'cancelled' });
		if (!sent || sent.ok || sent.failure.kind === 'cancelled') continue;
		if (hasFailed) return sent;
		hasFailed = true;
	}
	const sending = send()
		.then((sent) => {
			if (sent.ok) rememberSent(item, names, sent.value);
			return sent;
		})
		.finally(() => ofNode.delete(names.execution));
	ofNode.set(names.execution, sending);
	return await sending;
}
