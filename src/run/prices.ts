import { ENDPOINTS, LIMITS } from '../contract';
import { asText, type Json, type Resource } from '../base/types';
import { creditsOf } from './credits';

/*
 * The service states no prices. What the workspace's own newest generations have cost tells them: one
 * page of GET /generations, for a dry run and for the list of models.
 */

/** Credits by mode and model; empty where the service does not say. */
export type Prices = ReadonlyMap<string, number>;

const kindOf = ({ mode, model }: Json): string => `${asText(mode)} ${asText(model)}`;

/** The query of the page that tells the prices. */
export const PRICES_QUERY = { limit: LIMITS.listLimit.max };
export const PRICES_ENDPOINT = ENDPOINTS.listGenerations;

/** @param generations newest first */
export function pricesIn(generations: Json[]): Prices {
	const prices = new Map<string, number>();
	for (const generation of generations) {
		const price = creditsOf(generation as Resource);
		const kind = kindOf(generation);
		if (price !== undefined && !prices.has(kind)) prices.set(kind, price);
	}
	return prices;
}

/** @param wanted has `mode` and `model`, as a request and a generation have */
export const lastPrice = (prices: Prices, wanted: Json): number | undefined =>
	prices.get(kindOf(wanted));
