import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { Batch } from './batch';
import { inputItems, nodeInput, readParameter } from './nodeInput';

const batches = new WeakMap<object, Batch>();

/** The batch that an item belongs to, identified by the object that holds the input of the run. */
export function joinBatch(context: IExecuteSingleFunctions, item: number): Batch {
	const run = nodeInput(context);
	const known = batches.get(run);
	if (known?.accepts(item)) return known;
	const items = inputItems(context);
	const interval = readParameter(context, 'requestOptions.batching.batch.batchInterval', 0);
	// With Execute Once n8n takes only the first item.
	const total = context.getNode().executeOnce ? Math.min(1, items.length) : items.length;
	const batch = new Batch(total, Number(interval) > 0);
	batches.set(run, batch);
	return batch;
}

/** The batch of an item that has joined one. */
export const batchOf = (context: IExecuteSingleFunctions): Batch | undefined =>
	batches.get(nodeInput(context));
