import { fail, ok, type Failed, type Result } from '../base/result';
import { create } from '../creation/creation';
import { dryRun } from '../creation/dryRun';
import type { Item, Outcome } from '../creation/item';
import { WITHOUT_CREATION } from '../reads/reads';
import { forOutput } from './rows';
import { createParts } from '../creation/parts';
import { noteFailure, whyNotSent } from '../creation/run';

/** What the language itself throws, but for SyntaxError, which quotes what it could not read. */
const OF_LANGUAGE = [TypeError, RangeError, ReferenceError];

/** Characters of what a fault says. */
const MOST_SHOWN = 200;

/** An exception within our own code as a failure, so that the job which it may have met is named. */
export function faultOf(error: unknown): Failed {
	const isOfLanguage = OF_LANGUAGE.some((kind) => error instanceof kind);
	const { name, message } = error instanceof Error ? error : new Error();
	const problem = isOfLanguage ? `${name}: ${message.slice(0, MOST_SHOWN)}` : name;
	return fail({ kind: 'fault', problem });
}

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
