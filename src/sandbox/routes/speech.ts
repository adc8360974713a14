import { createSpeech } from '../engine/speech';
import { formatSpeech } from '../formatters/speech';
import { notFound } from '../errors';
import type { Operation } from '../http/operation';
import { createSpeechSchema } from '../schemas/speech';
import type { Service } from '../service';

export function speech(operation: Operation, service: Service): void {
	operation('createSpeech', { body: createSpeechSchema }, ({ workspace, body }) => ({
		status: 202,
		body: formatSpeech(service, createSpeech(service, workspace, body)),
	}));

	operation('getSpeech', {}, ({ workspace, id }) => {
		const entity = workspace.speech.get(id);
		if (!entity) throw notFound('The speech generation');
		return { status: 200, body: formatSpeech(service, entity) };
	});
}
