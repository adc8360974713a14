/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFile } from 'fs/promises';

import type { OutputEntity } from '../entities';
import { invalid } from '../errors';
import type { Service } from '../service';
import type { Workspace } from '../store';
import type { Drawn } from './library';
import { outputName } from './links';

/** How many references are drawn into an output, and how large one may be. */
const MOST_DRAWN = 6;
const LARGEST_DRAWN = 50 * 1024 * 1024;

/**
 * Checks a media address of a request: https, or a file of the sandbox itself, which must be there.
 * Open point 25. 400 names the field.
 */
export function checkReference(workspace: Workspace, address: string, field: string): void {
	const { links } = workspace.service;
	const url = new URL(address);
	const path = links.own(url);
	if (path === undefined) {
		if (url.protocol === 'https:') return;
		throw invalid(field, 'must be an https URL');
	}
	const [, place, name = ''] = path.split('/');
	if (place === 'files') {
		const file = workspace.files.get(name);
		if (!file) throw invalid(field, 'is not a file of this workspace');
		if (!file.uploaded) throw invalid(field, 'has not been uploaded yet');
		return;
	}
	if (place !== 'outputs') throw invalid(field, 'is not a file of this service');
	const output = workspace.outputs.get(idIn(name));
	if (!output) throw invalid(field, 'is not an output of this workspace');
	if (output.delivery === 'public_url') return;
	if (links.check(path, Object.fromEntries(url.searchParams))) {
		throw invalid(field, 'is a link that has expired or was changed');
	}
}

/** Checks a list of addresses; 400 names the item. */
export function checkReferences(workspace: Workspace, addresses: string[], field: string): void {
	for (const [index, address] of addresses.entries())
		checkReference(workspace, address, `${field}[${index}]`);
}

/** The id in the name of a file, `{id}.{extension}`. */
export const idIn = (name: string) => name.split('.')[0] ?? '';

/** An output's file on disk, drawn when it is first asked for. */
export async function drawOutput(
	service: Service,
	output: Pick<OutputEntity, 'id' | 'kind' | 'recipe'>,
): Promise<Drawn> {
	const { kind, recipe } = output;
	return await service.library.output(outputName(output), async () => {
		const references: Buffer[] = [];
		for (const address of recipe.references?.slice(0, MOST_DRAWN) ?? []) {
			const bytes = await loadReference(service, address);
			if (bytes) references.push(bytes);
		}
		return { ...recipe, kind, references };
	});
}

/** The bytes of a reference that is the sandbox's own; others are not fetched. */
async function loadReference(service: Service, address: string): Promise<Buffer | undefined> {
	const { store, library, links } = service;
	const [, place, name = ''] = links.own(new URL(address))?.split('/') ?? [];
	if (place === 'files') {
		const file = store.find(({ files }) => files, name);
		if (!file || file.size > LARGEST_DRAWN) return undefined;
		return await readFile(library.uploadPath(name));
	}
	const output = store.find(({ outputs }) => outputs, idIn(name));
	return output && (await readFile((await drawOutput(service, output)).path));
}
