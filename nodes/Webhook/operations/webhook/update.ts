import { ENDPOINTS } from '../../../../src/contract';
import { webhookLocator } from '../../../../src/description/fields/locators';
import { updateFields } from '../../../../src/description/fields/options';
import { inBody, inPath, type Operation } from '../../../../src/description/operation';
import { id, located, text } from '../../../../src/description/rules';
import { descriptionField, eventsField, forUpdate, urlField } from './shared';

export const update: Operation = {
	value: 'update',
	name: 'Update',
	action: 'Update a webhook',
	description: 'Change where events are sent to, which ones, or the description',
	spec: { endpoint: ENDPOINTS.updateWebhook, output: 'resource', holdsSecret: true },
	fields: [
		{ ui: webhookLocator, mapping: inPath('id', located(id())) },
		updateFields([
			{ ...descriptionField, mapping: inBody('description', text({ clears: true })) },
			forUpdate(eventsField),
			forUpdate(urlField),
		]),
	],
};
