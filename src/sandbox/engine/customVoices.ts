import type { CreateVoice } from '../../contract';
import type { VoiceEntity } from '../state/entities';
import { formatVoice } from '../formatters/voice';
import { invalid } from '../errors';
import { countCharacters, PRICES } from '../credits/prices';
import type { Service } from '../service';
import { checkReference } from '../storage/references';
import type { Workspace } from '../state/store';
import { charge } from './credits';
import { newOutput, publish } from './publish';

const PREVIEW = 'Hello! This is how I sound.';

/**
 * Clones or designs a voice. The charge covers the creation and the synthesis of the preview.
 * Specification: Operation details, POST /voices.
 */
export async function createVoice(
	service: Service,
	workspace: Workspace,
	body: CreateVoice,
): Promise<VoiceEntity> {
	if (body.kind === 'clone') checkReference(service, workspace, body.audio_url, 'audio_url');
	else checkDesign(service, body);
	if (service.settings.jobSeconds.voice > 0) {
		await service.clock.sleep(service.settings.jobSeconds.voice);
	}
	const previewText = body.preview_text || PREVIEW;
	const credits = quote(body.kind, previewText);
	const id = service.ids.next('voc');
	charge(service, workspace, id, credits);
	service.usage.add(workspace.id, 'voice', credits, 1);
	const entity: VoiceEntity = {
		id,
		workspace: workspace.id,
		createdAt: workspace.voices.stamp(service.clock.now()),
		name: body.name,
		kind: body.kind,
		description: body.kind === 'design' ? body.description : '',
		previewText,
		audioUrl: body.kind === 'clone' ? body.audio_url : null,
		preview: newOutput(service, 'speech', 0),
		creditsCharged: credits,
	};
	workspace.voices.put(entity);
	publishPreview(service, workspace, entity);
	service.emit(workspace, 'voice.created', () => formatVoice(service, entity));
	return entity;
}

/** Gives a voice's preview its address; also after a restart. */
export function publishPreview(
	service: Service,
	workspace: Workspace,
	{ id, preview, previewText, createdAt }: VoiceEntity,
): void {
	const seed = service.random.integer(`media:${id}`);
	const request = { kind: 'speech', prompt: previewText, seed, index: 0, voice: id } as const;
	publish(service, workspace, preview, 'public_url', createdAt / 1000, async () => {
		return await Promise.resolve(request);
	});
}

function quote(kind: CreateVoice['kind'], previewText: string): number {
	const base = kind === 'clone' ? PRICES.voiceClone : PRICES.voiceDesign;
	const hundreds = Math.ceil(countCharacters(previewText) / 100);
	return base + hundreds * PRICES.previewPerHundredCharacters;
}

/** Open point 5: the limits of the design fields are not shown. */
function checkDesign({ settings }: Service, body: CreateVoice & { kind: 'design' }): void {
	const { name, description, previewText } = settings.designLimits;
	const check = (field: string, value: string | undefined, most: number) => {
		if (countCharacters(value ?? '') <= most) return;
		throw invalid(field, `must be at most ${most} characters`);
	};
	check('name', body.name, name);
	check('description', body.description, description);
	check('preview_text', body.preview_text, previewText);
}
