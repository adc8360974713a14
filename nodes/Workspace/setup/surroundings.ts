import { LIMITS, textOf, type Json } from '../../../src/api';
import type { Item } from '../../../src/creation/item';
import { DAY_MS } from '../../../src/base/times';
import { counted } from '../../../src/base/texts';
import { asText, isResource, type Resource } from '../../../src/base/types';
import { localReason } from '../../../src/transport/network';
import { pageOf } from '../../../src/transport/pages';
import { isGone } from '../../../src/transport/statuses';
import { parseUrl } from '../../../src/base/urls';
import { transferUrlProblem } from '../../../src/files/transfer';
import type { Replies } from './questions';
import { fine, inOneLine, unanswered, unknown, wrong, type Finding } from './finding';

/* The checks of what lies between n8n and the service: time, addresses, webhooks, files. */

export function clock({ clockOffset }: Replies): Finding {
	const most = LIMITS.webhookToleranceSeconds;
	if (clockOffset === undefined)
		return unknown(
			'no answer of the service had a date.',
			`Compare the clock of n8n's machine: events are refused when it is ${most} seconds off.`,
		);
	const seconds = Math.round(Math.abs(clockOffset) / 1_000);
	const side = clockOffset > 0 ? 'ahead of' : 'behind';
	const says = `n8n's clock is ${counted(seconds, 'second')} ${side} that of the service.`;
	if (seconds < most) return fine(seconds === 0 ? "n8n's clock is that of the service." : says);
	return wrong(
		`${says} Events are refused from ${most} seconds on.`,
		"Set the clock of n8n's machine, by NTP.",
	);
}

const WITHOUT_ADDRESS =
	'Use the MediaGen Polling Trigger, which needs no address; or, for the MediaGen Trigger, set WEBHOOK_URL of n8n to its public https address and restart it.';

export function addressForEvents({ host }: Item): Finding {
	const address = host.webhookAddress?.();
	if (address === undefined)
		return unknown(
			'n8n does not say its address here.',
			'Open a MediaGen Trigger: its webhook URL must begin with https:// and be reached from the internet.',
		);
	const says = `n8n gives the service the address ${address}`;
	if (parseUrl(address)?.protocol !== 'https:')
		return wrong(`${says}, but events are sent to https addresses only.`, WITHOUT_ADDRESS);
	const problem = transferUrlProblem(address, host.baseUrl);
	if (problem !== undefined) return wrong(`${says}, but ${problem}.`, WITHOUT_ADDRESS);
	return fine(`${says}. Only an event shows whether it is reached there.`);
}

/** What the deliveries of a webhook show. */
interface Deliveries {
	/** Events of the last day of which no attempt has succeeded and none will follow. */
	givenUp: number;
	/** Whether the receiver has said that nobody listens at the address, and has taken no event since. */
	isUnheard: boolean;
}

/**
 * Reads attempts by the fields that they have in the sandbox, as the specification shows none; `undefined`
 * where they have others.
 * @param now in ms since the epoch
 */
function deliveriesIn(body: unknown, now: number): Deliveries | undefined {
	const attempts = pageOf(body).entries;
	if (attempts.some(({ status }) => textOf(status) === undefined)) return undefined;
	const hasSucceeded = ({ status }: Json) => status === 'succeeded';
	const successes = attempts.filter(hasSucceeded);
	const arrived = new Set(successes.map((attempt) => attempt.event_id));
	const timeOf = ({ attempted_at: at }: Json) => Date.parse(textOf(at) ?? '');
	const isOld = (attempt: Json) => timeOf(attempt) < now - DAY_MS;
	// NaN if one of them has no time: then no attempt is later than that.
	const lastSuccess = Math.max(...successes.map(timeOf));
	const ends = attempts.filter((attempt) => (attempt.next_attempt_at ?? null) === null);
	const givenUp = ends.filter((attempt) => !arrived.has(attempt.event_id) && !isOld(attempt));
	const isRefused = ({ response_status: status }: Json) => isGone(Number(asText(status)));
	return {
		givenUp: new Set(givenUp.map(({ event_id: event, id }) => event ?? id)).size,
		isUnheard: attempts
			.filter(isRefused)
			.some((attempt) => successes.length === 0 || timeOf(attempt) > lastSuccess),
	};
}

/** Why a webhook seems to be one that nobody uses any more; `undefined` for one in use. */
function whyLeftOver(
	webhook: Resource,
	before: Resource[],
	seen: Deliveries | undefined,
): string | undefined {
	const { url } = webhook;
	if (before.some((other) => other.url === url)) return 'has the address of another one';
	if (asText(url).includes('/webhook-test/')) return 'is of a test in the editor';
	return seen?.isUnheard ? 'has an address where nobody listens' : undefined;
}

export function webhooks({ workspace }: Item, { reads, deliveries }: Replies): Finding {
	const { endpoint, result } = reads.webhooks;
	if (!result.ok) return unanswered(result, endpoint);
	const all = pageOf(result.value.body).entries.filter(isResource);
	if (all.length === 0) return fine('The service has no webhooks.');
	const now = workspace.clock.now();
	const seen = new Map<string, Deliveries | undefined>();
	for (const [id, { result: read }] of deliveries)
		seen.set(id, read.ok ? deliveriesIn(read.value.body, now) : undefined);

	const leftOver = all.flatMap((webhook, index) => {
		const why = whyLeftOver(webhook, all.slice(0, index), seen.get(webhook.id));
		return why === undefined ? [] : [`${webhook.id} ${why}`];
	});
	const lost = [...seen].filter(([, found]) => (found?.givenUp ?? 0) > 0);
	const events = lost.reduce((sum, [, found]) => sum + (found?.givenUp ?? 0), 0);
	const unread = [...deliveries].find(([id]) => seen.get(id) === undefined);
	const says = inOneLine(
		`${counted(all.length, 'webhook')}.`,
		leftOver.length > 0 ? `Perhaps left over: ${leftOver.join(', ')}.` : '',
		events > 0
			? `${counted(events, 'event')} given up in the last 24 hours, of ${lost.map(([id]) => id).join(', ')}.`
			: '',
		all.length > deliveries.size
			? `Deliveries were read of the first ${deliveries.size} only.`
			: '',
	);
	const todo = inOneLine(
		leftOver.length > 0 ? 'Delete the webhooks that nobody uses (MediaGen Webhook: Delete).' : '',
		events > 0
			? 'Find out why events do not arrive (MediaGen Webhook: Delivery, Get Many), and get what was made with Get Many.'
			: '',
	);
	if (todo !== '') return wrong(says, todo);
	if (unread === undefined) return fine(`${says} No event was given up in the last 24 hours.`);
	const [, reply] = unread;
	const hint = 'Look at the deliveries themselves (MediaGen Webhook: Delivery, Get Many).';
	if (reply.result.ok)
		return unknown(`the deliveries have other fields than are known here. ${says}`, hint);
	return unanswered(reply.result, reply.endpoint);
}

/** How n8n keeps files, by what the id of one begins with, and what that means for a film. */
const STORAGES: Array<[prefix: string, says: string]> = [
	['filesystem', 'on disk: a film of any length is streamed, and takes no memory'],
	['s3', 'in object storage (S3): a film is held in memory while it is downloaded'],
	['azure', 'in object storage (Azure): a film is held in memory while it is downloaded'],
	[
		'database',
		'in the database: a film is held in memory while it is stored, and has at most 512 MiB unless n8n is set to more',
	],
];

/** Finds out how n8n keeps files, by storing a small one, which n8n deletes with the execution. */
export async function files({ host }: Item): Promise<Finding> {
	const mode = 'N8N_DEFAULT_BINARY_DATA_MODE';
	try {
		const { id } = await host.store(Buffer.from('Check Setup\n'), 'check-setup.txt', 'text/plain');
		if (id === undefined)
			return wrong(
				'n8n keeps files in memory, all of them until the execution ends: enough for pictures, too much for films.',
				`Set ${mode} of n8n to filesystem; in queue mode to database, or to s3.`,
			);
		const [, says] = STORAGES.find(([prefix]) => id.startsWith(prefix)) ?? [];
		if (says !== undefined) return fine(`n8n keeps files ${says}.`);
		return unknown('n8n keeps files in a way that is not known here.', `Look at ${mode} of n8n.`);
	} catch (error) {
		return wrong(
			`n8n could not store a file: ${localReason(error)}.`,
			`Look at ${mode} of n8n, and whether there is disk space and permission to write.`,
		);
	}
}
