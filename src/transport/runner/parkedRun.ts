import type { IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';
import { isTool } from '../host/nodeInput';
import { parkExecution } from '../host/parkExecution';
import type { Batch } from '../item/batch';
import type { Item, Outcome, OperationSpec, Park, Parking } from '../item/item';
import { fail, type Result } from '../base/result';

const PORTIONED = fail({
	kind: 'input',
	field: 'Batching',
	problem: 'cannot be used with a parked wait, which takes all its items at once',
	hint: 'Remove Batching from the options of the node',
});

/**
 * The items of a run that wait together. n8n runs each by itself, an execution is parked once: so each joins and gets its own
 * outcome, and the last one to answer leaves the answers of all where n8n finds them when the execution goes on.
 */
export class ParkedRun {
	private readonly items = new Map<number, Item>();

	private readonly outputs = new Map<number, INodeExecutionData[]>();

	private absent = 0;

	private start: ((parking: Promise<Parking>) => void) | undefined;

	private readonly parking = new Promise<Parking>((resolve) => {
		this.start = resolve;
	});

	constructor(
		private readonly batch: Batch,
		private readonly park: Park,
	) {}

	async join(context: IExecutePaginationFunctions, item: Item): Promise<Result<Outcome>> {
		if (this.batch.isBatched) return PORTIONED;
		this.items.set(item.itemIndex, item);
		this.begin(context);
		const { outcomes } = await this.parking;
		return outcomes.get(item.itemIndex) ?? fail({ kind: 'cancelled' });
	}

	/** What an item becomes; `undefined` for one that has thrown. */
	async answer(
		context: IExecutePaginationFunctions,
		index: number,
		output: INodeExecutionData[] | undefined,
	): Promise<void> {
		if (output) this.outputs.set(index, output);
		if (!this.items.has(index)) this.absent += 1;
		this.begin(context);
		if (this.outputs.size < this.batch.expected || this.items.size === 0) return;
		const { until } = await this.parking;
		if (!until) return;
		const indices = Array.from({ length: this.batch.total }, (_, item) => item);
		await parkExecution(
			context,
			until,
			indices.flatMap((item) => this.outputs.get(item) ?? [givenUp(item)]),
		);
	}

	/** All that will ever join have joined. */
	private begin(context: IExecutePaginationFunctions): void {
		if (!this.start) return;
		if (this.items.size + this.absent < this.batch.expected || this.items.size === 0) return;
		const items = [...this.items.values()].sort((a, b) => a.itemIndex - b.itemIndex);
		const isSpoiled = this.absent > 0 && !context.continueOnFail();
		// Another item fails the run: nothing is asked, let alone parked.
		this.start(
			isSpoiled ? Promise.resolve({ outcomes: skipped(items) }) : this.park(context, items),
		);
		this.start = undefined;
	}
}

const skipped = (items: Item[]) =>
	new Map(
		items.map(({ itemIndex }) => [
			itemIndex,
			fail({ kind: 'skipped', cause: 'another item failed', credits: false }),
		]),
	);

/** Stands for an item that n8n itself has given up on, with Continue On Fail: its own error item is lost by the parking. */
const givenUp = (item: number): INodeExecutionData => ({
	json: { error: 'A parameter of this item cannot be evaluated', finished: true },
	pairedItem: { item },
});

const runs = new WeakMap<Batch, ParkedRun>();

/** The run that the items of a batch wait in; `undefined` where nothing is parked. */
export function parkedRunOf(
	context: IExecutePaginationFunctions,
	{ park }: OperationSpec,
	batch: Batch,
): ParkedRun | undefined {
	if (!park || isTool(context) || context.getNode().parameters.waitStyle !== 'parked')
		return undefined;
	const known = runs.get(batch);
	if (known) return known;
	const run = new ParkedRun(batch, park);
	runs.set(batch, run);
	return run;
}
