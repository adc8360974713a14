import { executionCredits } from '../../src/run/credits';
import { isOutcomeOpen, newMemory, type ItemMemory } from '../../src/run/state';
import type { Settings } from '../../src/run/item';
import { runOperation } from '../../src/run/runner';
import { ModelService } from '../model/modelService';
import { dice } from '../model/random';
import { CREATE, hostWith, runAll, workspaceWith, type RunParts } from '../model/run';
import { VirtualClock } from '../model/virtualClock';
import { playSeeds } from '../support/seed';
import { cases } from '../support/thorough';

/*
 * The rules of docs/credits.md as a model: random executions of one to three nodes, against a service that counts what is
 * reserved.
 */

const EXECUTIONS = cases(1_500);

const SIZES = ['s', 'm', 'l', 'xl'];

/** One execution; gives what is wrong with it. */
async function execution(seed: number): Promise<string[]> {
	const { random, upTo, pick } = dice(seed);
	const wrong: string[] = [];

	const hasOnePrice = random() < 0.4;
	const prices = SIZES.map(() => 1 + upTo(12));
	const priceOf = (size: string) => prices[hasOnePrice ? 0 : SIZES.indexOf(size)] ?? 0;
	const sizes = hasOnePrice ? [pick(...SIZES)] : SIZES;
	const trouble = random() < 0.5 ? random() * 0.5 : 0;
	const clock = new VirtualClock();
	const failing = new Set<string>();
	const model = new ModelService(clock, {
		latencyMs: 0,
		requestsPerMinute: 1_000_000,
		jobMs: () => 0,
		price: ({ model }) => priceOf(String(model)),
		credits: random() < 0.2 ? upTo(80) : Infinity,
		fault: ({ method }) =>
			method === 'POST' && random() < trouble
				? pick('before', 'after', 'truncated', 'error')
				: undefined,
		ending: (prompt) => ({ status: failing.has(prompt) ? 'failed' : 'completed' }),
	});
	const workspace = workspaceWith(clock, { requestsPerMinute: 1_000_000 });
	const host = hostWith(model.send);
	const spec = { ...CREATE, takesSlot: undefined };
	const credits = executionCredits({});
	const memories = new Map<string, ItemMemory>();
	const known = new Set<string>();
	let isUncertain = false;
	const posts = () => model.log.filter(({ request }) => request.method === 'POST').length;
	const reserved = () => model.jobs.reduce((sum, job) => sum + job.credits, 0);
	const largest = Math.max(...sizes.map(priceOf));

	for (let node = 0; node <= upTo(3); node += 1) {
		const count = 1 + upTo(8);
		const asked = Array.from({ length: count }, () => pick(...sizes));
		const settings: Partial<Settings> = {
			maxCredits: 1 + upTo(50),
			onInsufficientCredits: pick('stop', 'continue', 'wait'),
			creditWaitTimeoutMs: 60_000,
			idempotency: pick('execution', 'execution', 'content', 'none'),
			waitForCompletion: random() < 0.5,
			dryRun: random() < 0.1,
		};
		const cap = settings.maxCredits ?? 0;
		for (let tries = random() < 0.3 ? 2 : 1; tries > 0; tries -= 1) {
			const [before, requests] = [reserved(), posts()];
			const partsOf = (itemIndex: number): RunParts => {
				const prompt = `${node} ${itemIndex}`;
				if (random() < 0.1) failing.add(prompt);
				const memory = memories.get(prompt) ?? newMemory();
				memories.set(prompt, memory);
				const own = { memory, prompt, model: asked[itemIndex], origin: { item: prompt } };
				return { host, workspace, spec, settings, credits, ...own };
			};
			const results = await clock.run(runAll(count, partsOf, runOperation));
			const after = reserved();
			if (settings.dryRun && posts() !== requests) wrong.push('a dry run has created something');
			const isOpen = [...memories.values()].some(
				({ state, expectedCredits }) => isOutcomeOpen(state) || expectedCredits !== undefined,
			);
			// Without a key nobody ever learns what a lost request has reserved.
			isUncertain ||= isOpen && settings.idempotency === 'none';
			const excess = after - Math.max(cap, before);
			const isKnown = asked.every((size) => known.has(size)) || (hasOnePrice && cap >= largest);
			if (excess > 0 && isKnown)
				wrong.push(`${after} of ${cap}: ${excess} too much at known prices`);
			if (excess > largest && !isUncertain)
				wrong.push(`${after} of ${cap}: more than one job too much`);
			if (!isOpen && !isUncertain && credits.reserved !== after) {
				wrong.push(`the node says ${credits.reserved}, the ledger ${after}`);
			}
			if (settings.dryRun) continue;
			for (const [index, { ok }] of results.entries()) if (ok) known.add(asked[index] ?? '');
		}
	}
	return wrong;
}

test(`${EXECUTIONS} executions exceed a limit by nothing at one price and by one job at most otherwise`, async () => {
	await playSeeds(EXECUTIONS, execution);
});
