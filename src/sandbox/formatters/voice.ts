import type { Voice } from '../../contract';
import { publicUrl } from '../engine/publish';
import type { VoiceEntity } from '../state/entities';
import type { Service } from '../service';

/** A custom voice as it goes over the wire. */
export function formatVoice(service: Service, { id, name, kind, preview }: VoiceEntity): Voice {
	return { id, object: 'voice', name, kind, preview_url: publicUrl(service, preview) };
}
