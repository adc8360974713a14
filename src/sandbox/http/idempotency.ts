/* eslint-disable @n8n/community-nodes/require-node-api-error -- not published */
import { createHash } from 'crypto';

import { LIMITS } from '../../contract';
import type { Clock } from '../clock';
import { invalid } from '../errors';
import type { Persistence } from '../store';

export interface Reply {
	status: number;
	body: unknown;
}

/** A response saved under a key. */
export interface KeptReply {
	id: string;
	fingerprint: string;
	/** Wall-clock milliseconds. */
	at: number;
	reply: Reply;
}

interface Entry {
	fingerprint: string;
	running?: Promise<void>;
	saved?: KeptReply;
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
	) {}

	/** How many keys are known, in use or saved. */
	get size(): number {
		return this.entries.size;
	}

	restore(saved: KeptReply[]): void {
		for (const each of saved.sort((a, b) => a.at - b.at)) {
			this.entries.set(each.id, { fingerprint: each.fingerprint, saved: each });
		}
	}

	/** Runs a request once for its key and gives the same answer to its repeats. */
	async once(id: string, bodyFingerprint: string, run: () => Promise<Reply>): Promise<Reply> {
		this.prune();
		for (;;) {
			const entry = this.entries.get(id);
			if (!entry) return await this.first(id, bodyFingerprint, run);
			if (entry.fingerprint !== bodyFingerprint) {
				throw invalid('Idempotency-Key', 'was used before with another body');
			}
			if (entry.saved) return entry.saved.reply;
			await entry.running;
		}
	}

	private async first(id: string, bodyFingerprint: string, run: () => Promise<Reply>) {
		let end = () => {};
		const running = new Promise<void>((done) => (end = done));
		const entry: Entry = { fingerprint: bodyFingerprint, running };
		this.entries.set(id, entry);
		try {
			const reply = await run();
			entry.saved = { id, fingerprint: bodyFingerprint, at: this.clock.now(), reply };
			this.persistence.put('idempotency', id, entry.saved);
			return reply;
		} catch (error) {
			this.entries.delete(id);
			throw error;
		} finally {
			end();
		}
	}

	/** Keys stand in the order in which they came, so the expired ones are in front. */
	private prune(): void {
		const oldest = this.clock.now() - this.clock.milliseconds(LIFE_SECONDS);
		for (const [id, { saved }] of this.entries) {
			if (!saved || saved.at > oldest) return;
			this.entries.delete(id);
			this.persistence.remove('idempotency', id);
		}
	}
}
