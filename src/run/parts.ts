import { fail, ok, type Result } from '../base/result';
import type { ApiRequest } from '../base/types';
import { create } from './creation';
import type { Item, Outcome } from './item';
import { customKeyProblem } from './keys';
import { itemMemory, placeOfPart } from './state';

/** A job for each part of what does not fit into a request, with its number and how many there are. */
export async function createParts(item: Item, parts: ApiRequest[]): Promise<Result<Outcome>> {
	const { node, origin, settings } = item;
	// A key of the user's own is that of one request; and `1-1` may be that of another item beside `1`.
	const keyOfPart = (number: number) => `${settings.idempotencyKey}#part=${number}`;
	const problem =
		settings.idempotency === 'custom' ? customKeyProblem(keyOfPart(parts.length)) : undefined;
	if (problem) return fail({ kind: 'input', field: 'Own Key', problem });
	const made = await Promise.all(
		parts.map(async (part, index) => {
			const name = placeOfPart(origin.item, index);
			const memory = itemMemory(node, name);
			const ofPart = {
				request: part,
				part: `.${index}`,
				memory,
				origin: { ...origin, item: name },
				settings: { ...settings, idempotencyKey: keyOfPart(index + 1) },
			};
			return await create({ ...item, ...ofPart });
		}),
	);
	// What was not sent because of another part says nothing by itself.
	const reason = made.find((one) => !one.ok && one.failure.kind !== 'skipped');
	const whole: Outcome = { resources: [], files: [] };
	for (const [index, one] of made.entries()) {
		if (!one.ok) return reason ?? one;
		const numbered = { part: index + 1, parts: parts.length };
		whole.resources.push(...one.value.resources.map((job) => ({ ...job, ...numbered })));
		whole.files.push(...one.value.files);
		whole.warning ??= one.value.warning;
	}
	return ok(whole);
}
