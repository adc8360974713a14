import { formatModel, MODELS } from '../catalogue/models';
import { presetVoices } from '../catalogue/voices';
import { readDateTime } from '../clock';
import { found } from '../errors';
import type { Operation } from '../http/operation';
import type { Service } from '../service';
import { formatAgentRun } from './agentRuns';
import { formatGeneration } from './generations';
import { ok, wholeList } from './job';
import { formatPersona } from './personas';
import { formatSpeech } from './speech';

/** What is only read: the catalogue of models, jobs of any kind, credits and usage. */
export function workspace(operation: Operation, service: Service): void {
	const { ledger, links, settings, usage } = service;

	operation('listModels', ({ query }) => {
		const models = MODELS.filter(({ mode }) => query.mode === undefined || mode === query.mode);
		const data = models.map((entry) => {
			const { speechModel } = entry;
			return formatModel(
				entry,
				speechModel && presetVoices(speechModel, settings.voices, links.origin),
			);
		});
		return ok(wholeList(data));
	});

	/** Whichever job an id identifies. Specification: Operation details, GET /jobs/{id}. */
	operation('getJob', ({ workspace: { generations, speech, agentRuns, personas }, id }) => {
		const generation = generations.get(id);
		if (generation) return ok(formatGeneration(service, generation));
		const spoken = speech.get(id);
		if (spoken) return ok(formatSpeech(service, spoken));
		const run = agentRuns.get(id);
		if (run) return ok(formatAgentRun(service, run));
		return ok(formatPersona(found(personas.get(id), 'The job')));
	});

	/** Open point 14: the fields of the balance and of the summary are not shown. */
	operation('getCredits', ({ workspace: { id } }) => {
		const { available, reserved, spent } = ledger.balance(id);
		const balance = available + reserved;
		return { status: 200, body: { object: 'credits', balance, available, reserved, spent } };
	});

	operation('getUsage', ({ workspace: { id }, query }) => {
		const { since } = query;
		const data = usage.sums(
			id,
			since === undefined ? undefined : (readDateTime(since) ?? 0) / 1000,
		);
		const credits = data.reduce((sum, each) => sum + each.credits, 0);
		const body = { object: 'usage', since: since ?? null, data, total_credits: credits };
		return { status: 200, body };
	});
}
