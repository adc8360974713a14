import type { SpeechGeneration } from '../../contract';
import type { SpeechEntity } from '../state/entities';
import type { Service } from '../service';
import { errorFields } from './generation';

/** A speech generation as it goes over the wire; a signed link is created each time. */
export function formatSpeech(service: Service, entity: SpeechEntity): SpeechGeneration {
	const { id, status, model, output, delivery } = entity;
	const link = () => service.links.output(output!, delivery, service.settings.signedSeconds);
	const done = status === 'completed' && output;
	return {
		id,
		object: 'speech_generation',
		status,
		model,
		line_count: entity.blocks.length,
		character_count: entity.characters,
		estimated_credits: entity.estimatedCredits,
		duration_seconds: entity.durationSeconds,
		output: done ? { media_type: output.mediaType, ...link() } : null,
		...errorFields(service, entity.problems),
	};
}
