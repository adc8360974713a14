import { nodeName, type NodeRun } from '../../lab/n8n/nodeWorkflow';
import type { Rest, SavedCredential } from '../../lab/n8n/rest';
import { runNode } from '../../lab/n8n/runNode';
import { atMost, median, type Figure } from '../table';

const ITEMS = 500;
const ROUNDS = 5;

/** Each with an id and a prompt of about 200 characters. */
const items = Array.from({ length: ITEMS }, (_, item) => ({
	json: { id: `gen_${item}`, prompt: `item ${item} `.repeat(20) },
}));

/** Runs a node for all items. @returns milliseconds */
async function time(rest: Rest, run: NodeRun): Promise<number> {
	const result = await runNode(rest, { ...run, items, timeoutMs: 300_000 });
	if (result.items.length !== ITEMS)
		throw new Error(`${run.type}: ${result.items.length} items, ${result.error?.message}`);
	return result.execution.data.resultData.runData[nodeName]?.[0]?.executionTime ?? NaN;
}

/**
 * MediaGen: Get of 500 items against the HTTP Request node with the same credential and addresses, in
 * turns, so that whatever else the machine does hits both.
 */
export async function overhead(
	rest: Rest,
	credential: SavedCredential,
	baseUrl: string,
): Promise<Figure> {
	const ours: NodeRun = {
		type: 'n8n-nodes-mediagen.mediaGen',
		credential,
		parameters: {
			operation: 'get',
			generationId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
		},
	};
	const plain: NodeRun = {
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		credential,
		parameters: {
			url: `=${baseUrl}/generations/{{ $json.id }}`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: credential.type,
		},
	};
	const ownTimes: number[] = [];
	const plainTimes: number[] = [];
	// The first round only warms up.
	for (let round = 0; round <= ROUNDS; round += 1) {
		ownTimes.push(await time(rest, ours));
		plainTimes.push(await time(rest, plain));
	}
	const [ownMs, plainMs] = [median(ownTimes.slice(1)), median(plainTimes.slice(1))];
	const note = `${(ownMs / ITEMS).toFixed(2)} and ${(plainMs / ITEMS).toFixed(2)} ms an item; ${ITEMS} items, medians of ${ROUNDS} runs in turns`;
	return atMost('an item of our node against the HTTP Request node', ownMs / plainMs, 1, { note });
}
