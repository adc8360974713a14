import type { Rest, SavedCredential } from '../../lab/n8n/rest';
import { median, type Figure } from '../report/table';
import { runFlow, stepOf, type Step } from './flow';

const ITEMS = 500;
const ROUNDS = 15;

const many: Step = {
	name: 'Items',
	type: 'n8n-nodes-base.code',
	typeVersion: 2,
	parameters: {
		jsCode: `return Array.from({ length: ${ITEMS} }, (_, n) => ({ json: { id: 'gen_' + n } }));`,
	},
};

async function time(rest: Rest, step: Step): Promise<number> {
	const ran = stepOf(await runFlow(rest, [many, step]), step.name);
	if (ran.items.length !== ITEMS) throw new Error(`${step.name} gave ${ran.items.length} items`);
	return ran.milliseconds;
}

/** Our Generation: Get of 500 items against the HTTP Request node with the same credential and addresses, in turns. */
export async function overhead(
	rest: Rest,
	credential: SavedCredential,
	baseUrl: string,
): Promise<Figure> {
	const ours: Step = {
		name: 'Ours',
		type: 'n8n-nodes-mediagen.mediaGenGeneration',
		credential,
		parameters: {
			operation: 'get',
			generationId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
		},
	};
	const request: Step = {
		name: 'HTTP Request',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		credential,
		parameters: {
			url: `=${baseUrl}/generations/{{ $json.id }}`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: credential.type,
		},
	};
	const own: number[] = [];
	const plain: number[] = [];
	for (let round = 0; round <= ROUNDS; round += 1) {
		const [a, b] = [await time(rest, ours), await time(rest, request)];
		// The first round only warms up.
		if (round === 0) continue;
		own.push(a);
		plain.push(b);
	}
	const [ownMs, plainMs] = [median(own), median(plain)];
	const ratio = ownMs / plainMs;
	return {
		name: 'an item of our node against the HTTP Request node',
		value: ratio.toFixed(2),
		target: '≤ 1.2',
		isMet: ratio <= 1.2,
		note: `${(ownMs / ITEMS).toFixed(2)} and ${(plainMs / ITEMS).toFixed(2)} ms an item; ${ITEMS} items, medians of ${ROUNDS} runs in turns`,
	};
}
