/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFile } from 'fs/promises';
import { Router, type Request, type Response } from 'express';

import type { FileEntity } from '../entities';
import { ApiError, found } from '../errors';
import { sendPart } from '../http/answer';
import { entryOf } from '../http/exchange';
import type { Handlers } from '../http/operation';
import type { Service } from '../service';
import { MEDIA_FORMATS, outputName } from '../storage/links';
import { drawOutput, idIn } from '../storage/references';
import { struckDownload, struckUpload } from '../storage/strikes';
import { sampleOf } from './voices';

const UPLOAD_SECONDS = 3600;

export const fileOperations = {
	createFile({ workspace, body: given }) {
		const { clock, ids, links } = workspace.service;
		const file = workspace.files.put({
			id: ids.next('file'),
			workspace: workspace.id,
			createdAt: workspace.files.stamp(clock.now()),
			filename: given.filename,
			contentType: given.content_type,
			size: given.size,
			token: ids.secret(),
			uploadExpiresAt: clock.ahead(UPLOAD_SECONDS),
			uploaded: false,
		});
		const upload = { upload_url: links.upload(file), upload_headers: uploadHeaders(file) };
		const body = { id: file.id, object: 'file', ...upload, url: links.file(file) };
		return { status: 201, body };
	},
} satisfies Partial<Handlers>;

const uploadHeaders = ({ contentType, token }: FileEntity) => ({
	'content-type': contentType,
	'x-upload-token': token,
});

type Serve = (service: Service, request: Request, response: Response) => Promise<void>;

/** The addresses that the contract's answers point to: presigned uploads, files, outputs, samples. */
export function storage(service: Service): Router {
	const router = Router({ caseSensitive: true, strict: true });
	const bind = (serve: Serve, name: string) => async (request: Request, response: Response) => {
		entryOf(response).operation = name;
		await serve(service, request, response);
	};
	router.put('/uploads/:id', bind(receive, 'upload'));
	router.get('/files/:id/:name', bind(serveFile, 'readFile'));
	router.get('/outputs/:name', bind(serveOutput, 'readOutput'));
	router.get('/samples/:name', bind(serveSample, 'readSample'));
	return router;
}

const refuse = (message: string) => new ApiError(403, 'permission', message);
const wrong = (message: string) => new ApiError(400, 'invalid_request', message);

/** PUT of a file to its presigned address: once, with exactly the headers given at creation. */
const receive: Serve = async (service, request, response) => {
	const { links, store, library, committed } = service;
	if (request.headers.authorization !== undefined) {
		throw wrong('A presigned upload must not carry an Authorization header.');
	}
	const fault = links.check(request.path, request.query);
	if (fault) throw refuse(`The upload address is ${fault}.`);
	const id = String(request.params.id);
	const file = store.find(({ files }) => files, id);
	if (!file) throw refuse('The upload address is of no file.');
	const used = refuse('The upload address was used before.');
	for (const [name, value] of Object.entries(uploadHeaders(file))) {
		if (request.headers[name] !== value) {
			throw wrong(`The header ${name} must be sent as it was given.`);
		}
	}
	if (Number(request.headers['content-length']) !== file.size) {
		throw wrong(`The file must have ${file.size} bytes, and its Content-Length must say so.`);
	}
	const stream = struckUpload(service, response, file);
	if (!stream) return;
	// Once only: of several at a time, the first that is complete.
	const claim = () => {
		if (file.uploaded) throw used;
		file.uploaded = true;
	};
	await library.receive(id, stream, claim).catch((error) => {
		throw request.destroyed && error !== used ? wrong('The upload was cut off.') : error;
	});
	store.workspaces.get(file.workspace)?.files.put(file);
	await committed();
	response.status(200).end();
};

const serveFile: Serve = async (service, request, response) => {
	const { store, library } = service;
	const id = String(request.params.id);
	const file = store.find(({ files }) => files, id);
	const known = file?.uploaded && file.filename === request.params.name ? file : undefined;
	const { contentType, workspace } = found(known, 'The file');
	const isShown = HARMLESS.test(contentType);
	if (!isShown) response.setHeader('content-disposition', 'attachment');
	const mediaType = isShown ? contentType : 'application/octet-stream';
	await sendStored(service, response, { path: library.uploadPath(id), mediaType, workspace });
};

const serveOutput: Serve = async (service, request, response) => {
	const name = String(request.params.name);
	const known = service.store.find(({ outputs }) => outputs, idIn(name));
	const output = found(known && outputName(known) === name ? known : undefined, 'The output');
	const expired = refuse('The link has expired.');
	if (output.delivery === 'signed_url') {
		const fault = service.links.check(request.path, request.query);
		if (fault) throw fault === 'expired' ? expired : refuse(`The link is ${fault}.`);
	}
	const subject = { workspace: output.workspace, operation: 'readOutput' };
	if (service.faults.take('expired_link', subject)) {
		entryOf(response).fault = 'expired_link';
		throw expired;
	}
	const { path } = await drawOutput(service, output);
	const { mediaType } = MEDIA_FORMATS[output.kind];
	const cut = service.faults.take('cut_download', subject);
	const { workspace } = output;
	if (!cut) return await sendStored(service, response, { path, mediaType, workspace });
	entryOf(response).fault = 'cut_download';
	sendPart(response, await readFile(path), mediaType, cut.bytes);
};

const serveSample: Serve = async (service, request, response) => {
	const sample = found(sampleOf(service, idIn(String(request.params.name))), 'The voice');
	const { path } = await drawOutput(service, sample);
	const { mediaType } = MEDIA_FORMATS.speech;
	await sendStored(service, response, { path, mediaType });
};

/**
 * What a browser may show of what was uploaded. The address has the origin of the admin path, so
 * nothing may become a page with a script in it; SVG and all other `+xml` would.
 */
const HARMLESS = /^(image|audio|video)\/[\w.-]+\s*(;|$)/i;

async function sendStored(
	service: Service,
	response: Response,
	file: { path: string; mediaType: string; workspace?: string },
): Promise<void> {
	if (await struckDownload(service, response, file)) return;
	await sendFile(response, file.path, file.mediaType);
}

/** Sends a file, or the range asked for. A browser takes it for what the type says. */
export async function sendFile(response: Response, path: string, mediaType: string): Promise<void> {
	response.setHeader('content-type', mediaType);
	response.setHeader('cache-control', 'private, max-age=0');
	response.setHeader('x-content-type-options', 'nosniff');
	await new Promise<void>((resolve) => {
		// A client that disconnects half-way is not an error of the sandbox.
		response.sendFile(path, { dotfiles: 'allow', cacheControl: false }, () => resolve());
	});
}
