/* eslint-disable @n8n/community-nodes/require-node-api-error -- not published */
import { createHash } from 'crypto';

import { LIMITS } from '../../contract';
import type { Clock } from '../state/clock';
import type { Settings } from '../state/settings';
import type { Persistence } from '../state/table';
import { ApiError, invalid } from '../errors';

export interface Reply {
	status: number;
	body: unknown;
}

/** An answer kept under a key. */
export interface KeptReply {
	id: string;
	fingerprint: string;
	/** Wall-clock milliseconds. */
	at: number;
	reply: Reply;
}

interface Slot {
	fingerprint: string;
	running?: Promise<void>;
	kept?: KeptReply;
}

/** Two bodies that say the same have the same fingerprint, whatever the order of their fields. */
export function fingerprint(body: unknown): string {
	return createHash('sha256').update(canonical(body)).digest('base64');
}

function canonical(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
	if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
	const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
	return `{${fields.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join(',')}}`;
}

/** The key of a request; an empty one is none. 400 when it is too long. Specification: Limits. */
export function readKey(header: string | string[] | undefined): string | undefined {
	const key = Array.isArray(header) ? header.join(', ') : header;
	if (!key) return undefined;
	const { max } = LIMITS.idempotencyKeyLength;
	if (key.length > max) throw invalid('Idempotency-Key', `must be at most ${max} characters`);
	return key;
}

/**
 * Answers kept for 24 hours under workspace + path + key. Open point 21: only what succeeded is kept,
 * another body is 400, and the second of two at once waits for the first.
 */
export class Idempotency {
	private readonly slots = new Map<string, Slot>();

	constructor(
		private readonly clock: Clock,
		private readonly persistence: Persistence,
		/** Open point 26: whether a kept answer may be given again. */
		private readonly stillGood: (reply: Reply) => boolean,
	) {}

	/** How many keys are known, in use or kept. */
	get size(): number {
		return this.slots.size;
	}

	restore(kept: Iterable<KeptReply>): void {
		for (const each of [...kept].sort((a, b) => a.at - b.at)) {
			this.slots.set(each.id, { fingerprint: each.fingerprint, kept: each });
		}
	}

	/** Runs a request once for its key and gives the same answer to its repeats. */
	async once(
		id: string,
		print: string,
		settings: Settings,
		run: () => Promise<Reply>,
	): Promise<Reply> {
		this.prune(settings);
		for (;;) {
			const slot = this.slots.get(id);
			if (!slot) return await this.first(id, print, settings, run);
			if (slot.fingerprint !== print && settings.idempotencyConflict === '400') {
				throw invalid('Idempotency-Key', 'was used before with another body');
			}
			if (slot.kept) {
				if (this.stillGood(slot.kept.reply)) return slot.kept.reply;
				this.forget(id);
			} else if (settings.idempotencyConcurrent === '400') {
				throw invalid('Idempotency-Key', 'is in use by a request that has not ended');
			} else {
				await slot.running;
			}
		}
	}

	private async first(id: string, print: string, settings: Settings, run: () => Promise<Reply>) {
		let end = () => {};
		const slot: Slot = { fingerprint: print, running: new Promise<void>((done) => (end = done)) };
		this.slots.set(id, slot);
		try {
			const reply = await run();
			this.keep(id, slot, reply);
			return reply;
		} catch (error) {
			const status = error instanceof ApiError ? error.status : 500;
			if (settings.idempotencyCaches.some((each) => each === status)) {
				this.keep(id, slot, { status, body: error });
			} else {
				this.slots.delete(id);
			}
			throw error;
		} finally {
			end();
		}
	}

	private keep(id: string, slot: Slot, reply: Reply): void {
		slot.kept = { id, fingerprint: slot.fingerprint, at: this.clock.now(), reply };
		slot.running = undefined;
		if (!(reply.body instanceof Error)) this.persistence.put('idempotency', id, slot.kept);
	}

	private forget(id: string): void {
		this.slots.delete(id);
		this.persistence.remove('idempotency', id);
	}

	/** Keys stand in the order in which they came, so the expired ones are in front. */
	private prune(settings: Settings): void {
		const oldest = this.clock.now() - this.clock.milliseconds(settings.idempotencySeconds);
		for (const [id, { kept }] of this.slots) {
			if (!kept || kept.at > oldest) return;
			this.forget(id);
		}
	}
}
