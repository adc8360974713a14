import { MODELS } from '../catalogue/models';
import { formatModel } from '../formatters/model';
import type { Operation } from '../http/operation';
import { listModelsQuery } from '../schemas/model';
import type { Service } from '../service';

export function models(operation: Operation, service: Service): void {
	operation('listModels', { query: listModelsQuery }, ({ query }) => {
		const found = MODELS.filter(({ mode }) => query.mode === undefined || mode === query.mode);
		const data = found.map((entry) => formatModel(entry, service.settings));
		return { status: 200, body: { object: 'list', data, has_more: false, next_cursor: null } };
	});
}
