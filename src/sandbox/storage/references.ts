/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFile } from 'fs/promises';

import { invalid } from '../errors';
import type { Service } from '../service';
import type { Workspace } from '../state/store';
import { outputFile } from './outputs';

/** How many references are drawn into an output, and how large one may be. */
const MOST_DRAWN = 9;
const LARGEST_DRAWN = 50 * 1024 * 1024;

/**
 * Checks a media address of a request: https, or a file of the sandbox itself, which must be there.
 * Open point 25. 400 names the field.
 */
export function checkReference(
	service: Service,
	workspace: Workspace,
	address: string,
	field: string,
): void {
	if (!URL.canParse(address)) throw invalid(field, 'must be an absolute URI');
	const url = new URL(address);
	const path = service.links.own(url);
	const { httpInputs } = service.settings;
	if (path !== undefined && (url.protocol === 'https:' || httpInputs !== 'none')) {
		const [, place, name = ''] = path.split('/');
		if (place === 'files') return checkFile(workspace, name, field);
		if (place === 'outputs') return checkOutput(service, workspace, path, url, field);
		throw invalid(field, 'is not a file of this service');
	}
	if (url.protocol === 'https:') return;
	if (url.protocol === 'http:' && httpInputs === 'all') return;
	throw invalid(field, 'must be an https URL');
}

function checkFile(workspace: Workspace, id: string, field: string): void {
	const file = workspace.files.get(id);
	if (!file) throw invalid(field, 'is not a file of this workspace');
	if (!file.uploaded) throw invalid(field, 'has not been uploaded yet');
}

function checkOutput(
	service: Service,
	workspace: Workspace,
	path: string,
	url: URL,
	field: string,
): void {
	const id = outputId(path);
	const found = service.outputs.find(id);
	if (!found || found.workspace !== workspace) {
		throw invalid(field, 'is not an output of this workspace');
	}
	if (found.delivery === 'public_url') return;
	if (service.links.check(path, Object.fromEntries(url.searchParams))) {
		throw invalid(field, 'is a link that has expired or was changed');
	}
}

/** The id in `/outputs/{id}.{extension}`. */
export function outputId(path: string): string {
	return path.split('/')[2]?.split('.')[0] ?? '';
}

/** The bytes of those references that are the sandbox's own; others are not fetched. */
export async function loadReferences(service: Service, addresses: string[]): Promise<Buffer[]> {
	const loaded: Buffer[] = [];
	for (const address of addresses.slice(0, MOST_DRAWN)) {
		const bytes = await loadReference(service, address);
		if (bytes) loaded.push(bytes);
	}
	return loaded;
}

async function loadReference(service: Service, address: string): Promise<Buffer | undefined> {
	const path = service.links.own(new URL(address));
	if (path === undefined) return undefined;
	const [, place, id = ''] = path.split('/');
	if (place === 'files') {
		const owner = service.store.owners.get(id);
		const file = owner && service.store.workspaces.get(owner)?.files.get(id);
		if (!file || file.size > LARGEST_DRAWN) return undefined;
		return await service.library.upload(id);
	}
	const found = service.outputs.find(outputId(path));
	return found && (await readFile(await outputFile(service, found)));
}
