import type { Delivery } from '../../contract';
import type { Clock } from '../state/clock';
import type { OutputEntity } from '../state/entities';
import type { Settings } from '../state/settings';
import type { MediaRequest } from '../media/types';
import type { Library } from './library';
import type { Workspace } from '../state/store';

/** An output that can be read at an address, and how to draw it. */
export interface FoundOutput {
	workspace: Workspace;
	output: OutputEntity;
	delivery: Delivery;
	/** Wall-clock milliseconds at which it came to be. */
	madeAt: number;
	request: () => Promise<MediaRequest>;
}

/** All outputs of all jobs, found by id. */
export class Outputs {
	private readonly byId = new Map<string, FoundOutput>();

	add(found: FoundOutput): void {
		this.byId.set(found.output.id, found);
	}

	remove(id: string): void {
		this.byId.delete(id);
	}

	find(id: string): FoundOutput | undefined {
		return this.byId.get(id);
	}
}

/** Whether an output has not outlived `retentionSeconds`. */
export function isKept(
	{ clock, settings }: { clock: Clock; settings: Pick<Settings, 'retentionSeconds'> },
	{ madeAt }: FoundOutput,
): boolean {
	const kept = clock.milliseconds(settings.retentionSeconds);
	return kept === 0 || clock.now() <= madeAt + kept;
}

/** Path of the output's file on disk. */
export async function outputFile(
	{ library }: { library: Library },
	found: FoundOutput,
): Promise<string> {
	return (await library.output(found.output.id, found.request)).path;
}

/** What each kind of media is made as. */
export const MEDIA_FORMATS = {
	image: { mediaType: 'image/png', extension: 'png' },
	video: { mediaType: 'video/mp4', extension: 'mp4' },
	music: { mediaType: 'audio/wav', extension: 'wav' },
	sfx: { mediaType: 'audio/wav', extension: 'wav' },
	speech: { mediaType: 'audio/wav', extension: 'wav' },
} as const;
