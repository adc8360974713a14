/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- not published */
import { isDeepStrictEqual } from 'util';

import { LIMITS } from '../../src/api';
import type { Clock } from '../clock';
import { invalid } from '../errors';
import type { Persistence } from '../store';

export interface Reply {
	status: number;
	body: unknown;
}

/** A response saved under a key. */
interface KeptReply {
	id: string;
	/** What was sent: a repeat says the same, in whatever order of its fields. */
	body: unknown;
	/** Wall-clock milliseconds. */
	at: number;
	reply: Reply;
}

interface Entry {
	body: unknown;
	reply: Promise<Reply>;
	/** When it was saved; missing until then. */
	at?: number;
}

/** The key of a request; an empty one is none. 400 when it is too long. Specification: Limits. */
export function readKey(header: string | string[] | undefined): string | undefined {
	const key = Array.isArray(header) ? header.join(', ') : header;
	if (!key) return undefined;
	const { max } = LIMITS.idempotencyKeyLength;
	if (key.length > max) throw invalid('Idempotency-Key', `must be at most ${max} characters`);
	return key;
}

/** As data alone: what a request or the disk brings may have other prototypes. */
const asData = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const LIFE_SECONDS = LIMITS.idempotencyHours * 3600;

/**
 * Successes saved for 24 hours under workspace + path + key. Open point 21: another body is 400,
 * and the second of two at once waits for the first.
 */
export class Idempotency {
	private readonly entries = new Map<string, Entry>();

	constructor(
		private readonly clock: Clock,
		private readonly persistence: Persistence,
	) {
		const kept = persistence.values<KeptReply>('idempotency').sort((a, b) => a.at - b.at);
		for (const { id, body, at, reply } of kept) {
			this.entries.set(id, { body: asData(body), at, reply: Promise.resolve(reply) });
		}
	}

	/** Runs a request once for its key and gives the same answer to its repeats. */
	async once(id: string, given: unknown, run: () => Promise<Reply>): Promise<Reply> {
		this.prune();
		const body = asData(given ?? null);
		for (;;) {
			const entry = this.entries.get(id);
			if (!entry) return await this.first(id, body, run);
			if (!isDeepStrictEqual(entry.body, body)) {
				throw invalid('Idempotency-Key', 'was used before with another body');
			}
			// Only a success is kept: after a refusal, whoever waited tries again.
			const reply = await entry.reply.catch(() => undefined);
			if (reply) return reply;
		}
	}

	private async first(id: string, body: unknown, run: () => Promise<Reply>): Promise<Reply> {
		const entry: Entry = { body, reply: run() };
		this.entries.set(id, entry);
		try {
			const reply = await entry.reply;
			entry.at = this.clock.now();
			this.persistence.put('idempotency', id, { id, body, at: entry.at, reply });
			return reply;
		} catch (error) {
			this.entries.delete(id);
			throw error;
		}
	}

	/** Keys stand in the order in which they came, so the expired ones are in front. */
	private prune(): void {
		const oldest = this.clock.now() - this.clock.milliseconds(LIFE_SECONDS);
		for (const [id, { at }] of this.entries) {
			if (at === undefined || at > oldest) return;
			this.entries.delete(id);
			this.persistence.remove('idempotency', id);
		}
	}
}
