import type { Rest, SavedCredential } from '../../lab/n8n/rest';
import { atMost, median, type Figure } from '../table';
import { runFlow, stepOf, type Step } from './flow';

const ITEMS = 500;
const ROUNDS = 5;

/** The items, each with an id and a prompt of about 200 characters. */
const items: Step = {
	name: 'Items',
	type: 'n8n-nodes-base.code',
	typeVersion: 2,
	parameters: {
		jsCode: `return Array.from({ length: ${ITEMS} }, (_, n) => ({ json: { id: 'gen_' + n, prompt: ('item ' + n + ' ').repeat(20) } }));`,
	},
};

/** Runs a step for all items. @returns milliseconds */
async function time(rest: Rest, step: Step): Promise<number> {
	const ran = stepOf(await runFlow(rest, [items, step]), step.name);
	if (ran.items.length !== ITEMS) throw new Error(`${step.name} gave ${ran.items.length} items`);
	return ran.milliseconds;
}

/** Our Generation: Get. */
const ours = (credential: SavedCredential): Step => ({
	name: 'Ours',
	type: 'n8n-nodes-mediagen.mediaGen',
	credential,
	parameters: {
		operation: 'get',
		generationId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
	},
});

/** The same requests by n8n's HTTP Request node, with the same credential. */
const plain = (credential: SavedCredential, baseUrl: string): Step => ({
	name: 'HTTP Request',
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	credential,
	parameters: {
		url: `=${baseUrl}/generations/{{ $json.id }}`,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: credential.type,
	},
});

/**
 * Our Generation: Get of 500 items against the HTTP Request node with the same credential and
 * addresses, in turns, so that whatever else the machine does hits both.
 */
export async function overhead(
	rest: Rest,
	credential: SavedCredential,
	baseUrl: string,
): Promise<Figure> {
	const steps = [ours(credential), plain(credential, baseUrl)];
	const times: number[][] = steps.map(() => []);
	// The first round only warms up.
	for (let round = 0; round <= ROUNDS; round += 1) {
		for (const [index, step] of steps.entries()) {
			const milliseconds = await time(rest, step);
			if (round > 0) times[index]?.push(milliseconds);
		}
	}
	const [ownMs = NaN, plainMs = NaN] = times.map(median);
	const ratio = ownMs / plainMs;
	const note = `${(ownMs / ITEMS).toFixed(2)} and ${(plainMs / ITEMS).toFixed(2)} ms an item; ${ITEMS} items, medians of ${ROUNDS} runs in turns`;
	return atMost('an item of our node against the HTTP Request node', ratio, 1, { note });
}
