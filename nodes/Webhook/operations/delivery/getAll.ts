import { ENDPOINTS } from '../../../../src/contract';
import { listFields } from '../../../../src/description/fields/list';
import { webhookLocator } from '../../../../src/description/fields/locators';
import { inPath, type Operation } from '../../../../src/description/operation';
import { id, located } from '../../../../src/description/rules';

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many deliveries of a webhook',
	description: 'Retrieve the delivery attempts of a webhook',
	spec: { endpoint: ENDPOINTS.listDeliveries, output: 'list', holdsSecret: true },
	fields: [{ ui: webhookLocator, mapping: inPath('id', located(id())) }, ...listFields],
};
