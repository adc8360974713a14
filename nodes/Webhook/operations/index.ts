import type { NodeResource } from '../../../src/description/properties';
import { getAll as getAllDeliveries } from './delivery/getAll';
import { create } from './webhook/create';
import { deleteWebhook } from './webhook/delete';
import { get } from './webhook/get';
import { getAll } from './webhook/getAll';
import { update } from './webhook/update';

export const resources: NodeResource[] = [
	{
		value: 'webhook',
		name: 'Webhook',
		operations: [create, deleteWebhook, get, getAll, update],
	},
	{ value: 'delivery', name: 'Delivery', operations: [getAllDeliveries] },
];
