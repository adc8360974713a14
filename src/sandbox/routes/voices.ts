import type { PresetVoice, VoiceCatalogQuery } from '../../contract';
import { PRESET_VOICES } from '../catalogue/voices';
import { createVoice } from '../engine/customVoices';
import type { VoiceEntity } from '../state/entities';
import { deletedBody, listAll } from '../formatters/list';
import { formatVoice } from '../formatters/voice';
import { notFound } from '../errors';
import type { Operation } from '../http/operation';
import { listQuery } from '../schemas/list';
import { createVoiceSchema, renameVoiceSchema, voiceCatalogQuery } from '../schemas/voice';
import type { Service } from '../service';
import type { Workspace } from '../state/store';

export function voices(operation: Operation, service: Service): void {
	const format = (entity: VoiceEntity) => formatVoice(service, entity);

	operation('createVoice', { body: createVoiceSchema }, async ({ workspace, body }) => {
		const entity = await createVoice(service, workspace, body);
		const credits = { [service.settings.voiceCreditsField]: entity.creditsCharged };
		return { status: 201, body: { ...format(entity), ...credits } };
	});

	operation('listVoices', { query: listQuery }, ({ workspace, query }) => ({
		status: 200,
		body: listAll(workspace.voices, query, service.settings, format),
	}));

	operation('listPresetVoices', { query: voiceCatalogQuery }, ({ query }) => {
		const model = query.model ?? 'service/speech-lite';
		const data = PRESET_VOICES[model].filter((voice) => matches(voice, query));
		return { status: 200, body: { object: 'list', model, data } };
	});

	operation('getVoice', {}, ({ workspace, id }) => ({
		status: 200,
		body: format(find(workspace, id)),
	}));

	operation('renameVoice', { body: renameVoiceSchema }, ({ workspace, id, body }) => {
		const entity = find(workspace, id);
		entity.name = body.name;
		return { status: 200, body: format(workspace.voices.put(entity)) };
	});

	operation('deleteVoice', {}, ({ workspace, id }) => {
		const entity = find(workspace, id);
		workspace.voices.delete(id);
		service.outputs.remove(entity.preview.id);
		return { status: 200, body: deletedBody('voice', id, service.settings) };
	});
}

function find(workspace: Workspace, id: string): VoiceEntity {
	const entity = workspace.voices.get(id);
	if (!entity) throw notFound('The voice');
	return entity;
}

function matches(voice: PresetVoice, { language, gender, search }: VoiceCatalogQuery): boolean {
	const locale = (voice.language_code ?? '').toLowerCase();
	const wanted = language?.toLowerCase();
	if (wanted && locale !== wanted && locale.split('-')[0] !== wanted) return false;
	if (gender && voice.gender?.toLowerCase() !== gender.toLowerCase()) return false;
	const text = `${voice.id}\n${voice.name ?? ''}`.toLowerCase();
	return !search || text.includes(search.toLowerCase());
}
