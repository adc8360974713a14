import { ok, type Result } from '../base/result';
import type { ApiRequest, Json } from '../base/types';
import type { StoredFile } from '../transport/host';
import { create } from './creation';
import type { Item, Outcome, Whole } from './item';
import { settingsOfParts } from './idempotency';
import { itemMemory, labelOfPart, placeOfPart } from './memory';

/** A job for each part of what does not fit into one request, with its number and how many there are. */
export async function createParts(item: Item, parts: ApiRequest[]): Promise<Result<Outcome>> {
	const { node, origin, settings } = item;
	const settingsOf = settingsOfParts(settings, parts.length);
	if (!settingsOf.ok) return settingsOf;
	const whole: Whole = { parts: [] };
	const made = await Promise.all(
		parts.map(async (request, index) => {
			const place = placeOfPart(origin.item, index);
			return await create({
				...item,
				whole,
				request,
				parts: undefined,
				part: labelOfPart(index),
				memory: itemMemory(node, place),
				origin: { ...origin, item: place },
				settings: settingsOf.value[index] ?? settings,
			});
		}),
	);
	// What was not sent because of another part says nothing by itself.
	const reason = made.find((one) => !one.ok && one.failure.kind !== 'skipped');
	const resources: Json[] = [];
	const files: StoredFile[][] = [];
	const warnings = new Set<string>();
	for (const [index, one] of made.entries()) {
		if (!one.ok) return reason ?? one;
		const numbered = { part: index + 1, parts: parts.length };
		for (const [place, job] of one.value.resources.entries()) {
			resources.push({ ...job, ...numbered });
			files.push(one.value.files?.[place] ?? []);
		}
		if (one.value.warning !== undefined) warnings.add(one.value.warning);
	}
	const warning = warnings.size > 0 ? [...warnings].join('. ') : undefined;
	return ok({ resources, files, warning });
}
