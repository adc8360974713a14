import type { Delivery } from '../../contract';
import type { MediaKind } from '../catalogue/models';
import type { OutputEntity } from '../state/entities';
import type { MediaRequest } from '../media/types';
import type { Service } from '../service';
import { MEDIA_FORMATS } from '../storage/outputs';
import type { Workspace } from '../state/store';

/** A new output that has no address yet. */
export function newOutput({ ids }: Service, kind: MediaKind, index: number): OutputEntity {
	return { id: ids.next('out'), index, kind, ...MEDIA_FORMATS[kind] };
}

/** Gives an output its address; it is drawn when it is first needed. */
export function publish(
	{ outputs }: Service,
	workspace: Workspace,
	output: OutputEntity,
	delivery: Delivery,
	madeAt: number,
	request: () => Promise<MediaRequest>,
): void {
	outputs.add({ workspace, output, delivery, madeAt, request });
}

/** The address of an output that never expires: previews, portraits, an agent's assets. */
export function publicUrl({ links }: Service, output: OutputEntity): string {
	return links.output(output, 'public_url', 0).url;
}
