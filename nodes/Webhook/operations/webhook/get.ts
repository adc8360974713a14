import { ENDPOINTS } from '../../../../src/contract';
import { webhookLocator } from '../../../../src/description/fields/locators';
import { inPath, type Operation } from '../../../../src/description/operation';
import { id, located } from '../../../../src/description/rules';

export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get a webhook',
	description: 'Retrieve a webhook',
	spec: { endpoint: ENDPOINTS.getWebhook, output: 'resource', holdsSecret: true },
	fields: [{ ui: webhookLocator, mapping: inPath('id', located(id())) }],
};
