/* eslint-disable @n8n/community-nodes/require-node-api-error -- not published */
import type { Express, Request, Response } from 'express';

import { ApiError } from '../errors';
import { sendError } from '../http/answer';
import type { Exchange } from '../http/exchange';
import { begin } from '../http/exchange';
import { sendFile } from '../http/sendFile';
import type { Service } from '../service';
import { UploadRunning, WrongSize } from '../storage/library';
import { isKept, outputFile } from '../storage/outputs';
import { outputId } from '../storage/references';

type Serve = (service: Service, exchange: Exchange) => Promise<void>;

/** The addresses that the contract's answers point to: presigned uploads, files, outputs. */
export function storage(service: Service, app: Express): void {
	const bind = (serve: Serve, name: string) => async (request: Request, response: Response) => {
		const exchange = begin(service, request, response, name);
		try {
			await serve(service, exchange);
		} catch (error) {
			sendError(service, exchange, error);
		}
	};
	app.put('/uploads/:id', bind(receive, 'upload'));
	app.get('/files/:id/:name', bind(serveFile, 'readFile'));
	app.get('/outputs/:name', bind(serveOutput, 'readOutput'));
}

const refuse = (message: string) => new ApiError(403, 'permission', message);

/** PUT of a file to its presigned address: once, with exactly the headers given at creation. */
const receive: Serve = async (service, { request, response }) => {
	if (request.headers.authorization !== undefined) {
		const message = 'A presigned upload must not carry an Authorization header.';
		throw new ApiError(400, 'invalid_request', message);
	}
	const fault = service.links.check(request.path, request.query);
	if (fault) throw refuse(`The upload address is ${fault}.`);
	const id = String(request.params.id);
	const workspace = service.store.workspaces.get(service.store.owners.get(id) ?? '');
	const file = workspace?.files.get(id);
	if (!workspace || !file) throw refuse('The upload address is of no file.');
	if (file.uploaded) throw refuse('The upload address was used before.');
	const expected = { 'content-type': file.contentType, 'x-upload-token': file.token };
	for (const [name, value] of Object.entries(expected)) {
		if (request.headers[name] === value) continue;
		throw new ApiError(400, 'invalid_request', `The header ${name} must be sent as it was given.`);
	}
	const length = request.headers['content-length'];
	const wrong = new ApiError(400, 'invalid_request', `The file must have ${file.size} bytes.`);
	if (length !== undefined && Number(length) !== file.size) throw wrong;
	try {
		await service.library.receive(id, request, file.size);
	} catch (error) {
		if (error instanceof WrongSize) throw wrong;
		if (error instanceof UploadRunning) throw refuse('The upload address is in use.');
		if (!request.destroyed) throw error;
		throw new ApiError(400, 'invalid_request', 'The upload was cut off.');
	}
	file.uploaded = true;
	workspace.files.put(file);
	await service.committed();
	response.status(200).end();
};

const serveFile: Serve = async (service, { request, response }) => {
	const id = String(request.params.id);
	const workspace = service.store.workspaces.get(service.store.owners.get(id) ?? '');
	const file = workspace?.files.get(id);
	const known = file?.uploaded && file.filename === request.params.name;
	if (!known) throw new ApiError(404, 'not_found', 'There is no such file.');
	await sendFile(response, service.library.uploadPath(id), file.contentType);
};

const serveOutput: Serve = async (service, exchange) => {
	const { request, response, entry } = exchange;
	const found = service.outputs.find(outputId(request.path));
	const expected = found && `/outputs/${found.output.id}.${found.output.extension}`;
	if (!found || request.path !== expected) {
		throw new ApiError(404, 'not_found', 'There is no such output.');
	}
	const { settings, faults } = service;
	const gone = new ApiError(settings.expiredStatus, 'permission', 'The link has expired.');
	if (!isKept(service, found)) {
		throw new ApiError(404, 'not_found', 'The output has expired.');
	}
	if (found.delivery === 'signed_url') {
		const fault = service.links.check(request.path, request.query);
		if (fault === 'expired') throw gone;
		if (fault) throw refuse(`The link is ${fault}.`);
	}
	const subject = { workspace: found.workspace.id, operation: 'readOutput' };
	if (faults.take('expired_link', subject)) {
		entry.fault = 'expired_link';
		throw gone;
	}
	const path = await outputFile(service, found);
	const cut = faults.take('cut_download', subject);
	if (cut) {
		entry.fault = 'cut_download';
		cutShort(response, cut.bytes);
	}
	await sendFile(response, path, found.output.mediaType);
};

/**
 * Ends the connection after this many bytes of the body; after half of it if no number is given.
 */
function cutShort(response: Response, bytes: number | undefined): void {
	const write = response.write.bind(response);
	let left: number | undefined = bytes;
	const limited = (chunk: Buffer): boolean => {
		left ??= Math.floor(Number(response.getHeader('content-length') ?? 0) / 2);
		const part = chunk.subarray(0, left);
		left -= part.length;
		if (left > 0) return write(part);
		write(part, () => response.destroy());
		return false;
	};
	response.write = limited as typeof response.write;
}
