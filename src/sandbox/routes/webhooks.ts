import type { WebhookEntity } from '../state/entities';
import { deletedBody, listAll } from '../formatters/list';
import { formatDelivery, formatWebhook } from '../formatters/webhook';
import { invalid, notFound } from '../errors';
import type { Operation } from '../http/operation';
import { listQuery } from '../schemas/list';
import { createWebhookSchema, updateWebhookSchema } from '../schemas/webhook';
import type { Service } from '../service';
import type { Workspace } from '../state/store';

export function webhooks(operation: Operation, service: Service): void {
	operation('createWebhook', { body: createWebhookSchema }, ({ workspace, body }) => {
		checkUrl(service, body.url);
		const entity = workspace.webhooks.put({
			id: service.ids.next('wh'),
			workspace: workspace.id,
			createdAt: workspace.webhooks.stamp(service.clock.now()),
			url: body.url,
			description: body.description ?? null,
			events: [...new Set(body.events)],
			secret: `whsec_${service.ids.secret()}`,
		});
		const secret = { [service.settings.webhookSecretField]: entity.secret };
		return { status: 201, body: { ...formatWebhook(entity), ...secret } };
	});

	operation('listWebhooks', { query: listQuery }, ({ workspace, query }) => ({
		status: 200,
		body: listAll(workspace.webhooks, query, service.settings, formatWebhook),
	}));

	operation('getWebhook', {}, ({ workspace, id }) => ({
		status: 200,
		body: formatWebhook(find(workspace, id)),
	}));

	operation('updateWebhook', { body: updateWebhookSchema }, ({ workspace, id, body }) => {
		const entity = find(workspace, id);
		if (body.url !== undefined) checkUrl(service, body.url);
		entity.url = body.url ?? entity.url;
		entity.description = body.description ?? entity.description;
		entity.events = body.events ? [...new Set(body.events)] : entity.events;
		workspace.webhooks.put(entity);
		const status = service.settings.webhookUpdateStatus;
		return { status, body: status === 204 ? undefined : formatWebhook(entity) };
	});

	operation('deleteWebhook', {}, ({ workspace, id }) => {
		find(workspace, id);
		workspace.webhooks.delete(id);
		return { status: 200, body: deletedBody('webhook', id, service.settings) };
	});

	operation('listDeliveries', { query: listQuery }, ({ workspace, id, query }) => {
		find(workspace, id);
		const table = workspace.deliveriesOf(id);
		return { status: 200, body: listAll(table, query, service.settings, formatDelivery) };
	});
}

function find(workspace: Workspace, id: string): WebhookEntity {
	const entity = workspace.webhooks.get(id);
	if (!entity) throw notFound('The webhook');
	return entity;
}

/** Specification: CreateWebhook, `^https://`. */
function checkUrl({ settings }: Service, url: string): void {
	if (url.startsWith('https://')) return;
	if (settings.webhookUrls === 'any' && url.startsWith('http://')) return;
	throw invalid('url', 'must match ^https://');
}
