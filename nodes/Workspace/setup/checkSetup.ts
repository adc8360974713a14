import type { Item, ItemOutput } from '../../../src/creation/item';
import { fail, ok, type Result } from '../../../src/base/result';
import { apiAccess, keyAndBaseUrl, readScopes, writeScopes } from './access';
import { credits, firstModels, runningJobs, spentToday } from './money';
import { askAll } from './questions';
import type { Finding } from './finding';
import { addressForEvents, clock, files, webhooks } from './surroundings';

/**
 * Looks at all that has to be right before something is made, one row a check. A check that cannot be made is
 * a row like any other.
 */
export async function checkSetup(item: Item): Promise<Result<ItemOutput>> {
	const [replies, storage] = await Promise.all([askAll(item), files(item)]);
	if (item.host.channel.signal?.aborted) return fail({ kind: 'cancelled' });
	const findings: Record<string, Finding> = {
		'Key and Base URL': keyAndBaseUrl(item, replies),
		'API Access': apiAccess(replies),
		'Read Scopes': readScopes(replies),
		'Write Scopes': writeScopes(replies),
		Credits: credits(replies),
		'Spent Today': spentToday(item, replies),
		'Models and Prices': firstModels(item, replies),
		'Running Jobs': runningJobs(item, replies),
		Clock: clock(replies),
		'Address for Events': addressForEvents(item),
		Webhooks: webhooks(item, replies),
		Files: storage,
	};
	const resources = Object.entries(findings).map(([check, { ok: isFine, says, todo }]) => {
		return { check, ok: isFine, says, todo };
	});
	return ok({ resources });
}
