import { currentModels, formatModel } from '../catalogue/models';
import { presetVoices } from '../catalogue/voices';
import type { Handlers } from '../http/operation';
import { ok } from './collection';

/** What is only read: the catalogue of models, credits and usage. */
export const workspaceOperations = {
	listModels({ workspace: { service }, query }) {
		const { settings, links } = service;
		const models = currentModels(settings).filter(
			({ mode }) => query.mode === undefined || mode === query.mode,
		);
		const data = models.map((entry) => {
			const { speechModel } = entry;
			const voices = speechModel && presetVoices(speechModel, settings.voices, links.origin);
			return formatModel(entry, voices);
		});
		return ok({ object: 'list', data, has_more: false, next_cursor: null });
	},
	/** Open point 14: the fields of the balance and of the summary are not shown. */
	getCredits({ workspace: { id, service } }) {
		const { available, reserved, spent } = service.ledger.balance(id);
		return ok({ object: 'credits', balance: available + reserved, available, reserved, spent });
	},
	getUsage({ workspace: { id, service }, query: { since } }) {
		const data = service.usage.sums(id, since);
		const total_credits = data.reduce((sum, each) => sum + each.credits, 0);
		const from = since === undefined ? null : new Date(since).toISOString();
		return ok({ object: 'usage', since: from, data, total_credits });
	},
} satisfies Partial<Handlers>;
