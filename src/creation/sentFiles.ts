import { unlessAborted } from '../base/abort';
import { BoundedMap } from '../base/boundedMap';
import { fail, ok, type Result } from '../base/result';
import type { Clock, Json } from '../base/types';
import type { Item } from './item';
import type { NodeMemory } from './memory';
import { expiryOf } from './outputs';
import { isKeyExpired } from './state';

/*
 * The same bytes go out once: of all items of an execution that need a file one sends it, and the others wait
 * for it and name the same URL. What is forgotten here is sent again under the same key, which has the same
 * URL as long as the service keeps that key.
 */

/** A file at the service. */
export interface SentFile {
	/** What the service says of it. */
	file: Json;
	/** Since when it is known by its name, in ms since the epoch. */
	at: number;
}

/** What a file is remembered by. */
export interface Names {
	/** In the memory of the node, which n8n keeps with the execution. */
	execution: string;
	/** In this process: by whoever makes the same request, and by the next click in the editor. */
	elsewhere: string[];
}

/** Rows of a day, and few bytes each. */
const MAX_FILES = 20_000;

const inProcess = new BoundedMap<string, SentFile>(MAX_FILES);

/** Files on their way, by the memory of the node that they belong to. */
const underWay = new WeakMap<NodeMemory, Map<string, Promise<Result<Json>>>>();

/** A stated end is kept away from by so much, in ms: the service has to fetch the file too. */
const MARGIN_MS = 60_000;

function isUsable({ file, at }: SentFile, clock: Clock): boolean {
	const now = clock.now();
	return !isKeyExpired(at, now) && expiryOf(file) - MARGIN_MS > now;
}

type Context = Pick<Item, 'node' | 'host' | 'workspace'>;

/**
 * The file by one of its names. That of the same request comes first: under one key, a request names one URL
 * for as long as the service keeps the key.
 */
function find({ node, workspace }: Context, { execution, elsewhere }: Names): SentFile | undefined {
	const known = [...elsewhere.map((name) => inProcess.get(name)), node.uploads?.[execution]];
	return known.find((one) => one && isUsable(one, workspace.clock));
}

function remember({ node, workspace }: Context, names: Names, file: Json): void {
	const sent = { file, at: workspace.clock.now() };
	const keep = (known: SentFile | undefined): SentFile =>
		known && isUsable(known, workspace.clock) ? known : sent;
	node.uploads ??= {};
	node.uploads[names.execution] = keep(node.uploads[names.execution]);
	for (const name of names.elsewhere) inProcess.set(name, keep(inProcess.get(name)));
}

/** Something is wrong with what was made with it: it may not be there any more. */
export function forgetFile({ node }: Pick<Item, 'node'>, { execution, elsewhere }: Names): void {
	delete node.uploads?.[execution];
	for (const name of elsewhere) inProcess.delete(name);
}

/**
 * What the service says of a file, which is sent unless it is known or on its way. Whoever waits for one that
 * cannot be sent tries once more; so does everybody who comes later.
 */
export async function sendUnlessSent(
	item: Context,
	names: Names,
	send: () => Promise<Result<Json>>,
): Promise<Result<Json>> {
	const { signal } = item.host.channel;
	const ofNode = underWay.get(item.node) ?? new Map<string, Promise<Result<Json>>>();
	underWay.set(item.node, ofNode);
	let hasFailed = false;
	for (;;) {
		const known = find(item, names);
		if (known) {
			remember(item, names, known.file);
			return ok(known.file);
		}
		const others = ofNode.get(names.execution);
		if (!others) break;
		// What breaks off there is told there.
		const waiting = (signal ? unlessAborted(signal, others) : others).catch(() => undefined);
		const sent = await waiting;
		if (signal?.aborted) return fail({ kind: 'cancelled' });
		if (!sent || sent.ok || sent.failure.kind === 'cancelled') continue;
		if (hasFailed) return sent;
		hasFailed = true;
	}
	const sending = send()
		.then((sent) => {
			if (sent.ok) remember(item, names, sent.value);
			return sent;
		})
		.finally(() => ofNode.delete(names.execution));
	ofNode.set(names.execution, sending);
	return await sending;
}
