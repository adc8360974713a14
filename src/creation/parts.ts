import { ok, type Failed, type Result } from '../base/result';
import type { ApiRequest, Json } from '../base/types';
import type { StoredFile } from '../transport/host';
import { create } from './creation';
import { settingsOfParts } from './idempotency/idempotency';
import { itemMemory, labelOfPart, placeOfPart } from './idempotency/itemState';
import type { Item, ItemOutput, PartsOfItem } from './item';

/**
 * Creates what does not fit into one request, by a job for each part of it. Each job is output with the
 * number of its part and how many parts there are.
 */
export async function createParts(item: Item, parts: ApiRequest[]): Promise<Result<ItemOutput>> {
	const { nodeMemory, origin, settings } = item;
	const settingsOf = settingsOfParts(settings, parts.length);
	if (!settingsOf.ok) return settingsOf;
	let firstFailed: Failed | undefined;
	const unsent = new AbortController();
	const partsOfItem: PartsOfItem = {
		all: [],
		fail: (failed) => {
			firstFailed ??= failed;
			unsent.abort();
		},
	};
	const giveUp = item.giveUp ? AbortSignal.any([item.giveUp, unsent.signal]) : unsent.signal;
	const results = await Promise.all(
		parts.map(async (request, index) => {
			const place = placeOfPart(origin.place, index);
			const memory = itemMemory(nodeMemory, place);
			const result = await create({
				...item,
				partsOfItem,
				giveUp,
				request,
				parts: undefined,
				part: labelOfPart(index),
				memory,
				origin: { ...origin, place },
				settings: settingsOf.value[index] ?? settings,
			});
			if (!result.ok) partsOfItem.fail(result);
			return result;
		}),
	);
	const resources: Json[] = [];
	const files: StoredFile[][] = [];
	const warnings = new Set<string>();
	for (const [index, result] of results.entries()) {
		// What was not sent because of another part says nothing by itself.
		if (!result.ok) return firstFailed ?? result;
		const numbered = { part: index + 1, parts: parts.length };
		for (const [resourceIndex, job] of result.value.resources.entries()) {
			resources.push({ ...job, ...numbered });
			files.push(result.value.files?.[resourceIndex] ?? []);
		}
		if (result.value.warning !== undefined) warnings.add(result.value.warning);
	}
	const warning = warnings.size > 0 ? [...warnings].join('. ') : undefined;
	return ok({ resources, files, warning });
}
