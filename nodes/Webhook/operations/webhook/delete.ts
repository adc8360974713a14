import { ENDPOINTS } from '../../../../src/contract';
import { webhookLocator } from '../../../../src/description/fields/locators';
import { inPath, type Operation } from '../../../../src/description/operation';
import { id, located } from '../../../../src/description/rules';

export const deleteWebhook: Operation = {
	value: 'delete',
	name: 'Delete',
	action: 'Delete a webhook',
	description: 'Delete a webhook, so that no more events are sent to it',
	spec: { endpoint: ENDPOINTS.deleteWebhook, output: 'deleted', holdsSecret: true },
	fields: [{ ui: webhookLocator, mapping: inPath('id', located(id())) }],
};
