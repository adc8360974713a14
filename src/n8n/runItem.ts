import { ok, type Result } from '../base/result';
import { create } from '../creation/creation';
import { dryRun } from '../creation/dryRun';
import type { Item, Outcome } from '../creation/item';
import { WITHOUT_CREATION } from '../reads/reads';
import { faultOf } from './fault';
import { forOutput } from './rows';
import { createParts } from '../creation/parts';
import { noteFailure, whyNotSent } from '../creation/run';

/** The way of an item. Not `async`: thousands may wait. */
function operate(item: Item): Promise<Result<Outcome>> {
	const { spec, settings, parts = [] } = item;
	if (spec.run) return spec.run(item);
	if (!spec.creates) return WITHOUT_CREATION[spec.output](item);
	if (settings.dryRun) return dryRun(item);
	return parts.length < 2 ? create(item) : createParts(item, parts);
}

async function toOutput(item: Item): Promise<Result<Outcome>> {
	const result = whyNotSent(item) ?? (await operate(item));
	if (!result.ok) {
		noteFailure(item, result);
		return result;
	}
	if (!item.spec.creates) item.run.refusals.accepted(item);
	const resources = result.value.resources.map((resource) => forOutput(item, resource));
	const warnings = [result.value.warning, item.warning].filter((one) => one !== undefined);
	const warning = warnings.length > 0 ? warnings.join('. ') : undefined;
	return ok({ ...result.value, resources, warning });
}

/**
 * Runs the operation for an item, from its checked request to its output; nothing is sent if another item has
 * halted the run. Never rejects: what has been paid for is named whatever happens.
 */
export async function runItem(item: Item): Promise<Result<Outcome>> {
	try {
		return await toOutput(item);
	} catch (error) {
		return faultOf(error);
	}
}
