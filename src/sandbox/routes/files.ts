import type { FileEntity } from '../state/entities';
import { invalid } from '../errors';
import type { Operation } from '../http/operation';
import { createFileSchema } from '../schemas/file';
import type { Service } from '../service';

export function files(operation: Operation, service: Service): void {
	operation('createFile', { body: createFileSchema }, ({ workspace, body }) => {
		const { clock, ids, links, settings } = service;
		checkBounds(service, body.size, body.content_type);
		const file: FileEntity = {
			id: ids.next('file'),
			workspace: workspace.id,
			createdAt: workspace.files.stamp(clock.now()),
			filename: body.filename,
			contentType: body.content_type,
			size: body.size,
			token: ids.secret(),
			uploadExpiresAt: clock.ahead(settings.uploadSeconds),
			uploaded: false,
		};
		workspace.files.put(file);
		service.store.owners.set(file.id, workspace.id);
		return {
			status: 201,
			body: {
				id: file.id,
				object: 'file',
				upload_url: links.upload(file),
				upload_headers: { 'content-type': file.contentType, 'x-upload-token': file.token },
				url: links.file(file),
			},
		};
	});
}

/** Open point 7: limits of uploads are not shown. */
function checkBounds({ settings }: Service, size: number, contentType: string): void {
	const { uploadBytes, uploadTypes } = settings;
	if (size > uploadBytes) throw invalid('size', `must be at most ${uploadBytes} bytes`);
	if (uploadTypes.length === 0) return;
	if (uploadTypes.some((start) => contentType.startsWith(start))) return;
	throw invalid('content_type', `must begin with one of ${uploadTypes.join(', ')}`);
}
