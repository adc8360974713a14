/* eslint-disable @n8n/community-nodes/require-node-api-error -- not published */
import { ApiError } from '../errors';
import { InsufficientCredits } from '../credits/ledger';
import type { Service } from '../service';
import type { Workspace } from '../state/store';

/** Sets credits aside for a job, or answers 402. */
export function reserve(service: Service, { id }: Workspace, resource: string, credits: number) {
	refuseLack(() => service.ledger.reserve(id, resource, credits));
}

/** Takes credits at once, or answers 402. */
export function charge(service: Service, { id }: Workspace, resource: string, credits: number) {
	refuseLack(() => service.ledger.charge(id, resource, credits));
}

function refuseLack(move: () => void): void {
	try {
		move();
	} catch (error) {
		if (!(error instanceof InsufficientCredits)) throw error;
		const { needed, available, message } = error;
		throw new ApiError(402, 'insufficient_credits', message, { needed, available });
	}
}
