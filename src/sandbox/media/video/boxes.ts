import { BoxParser, createFile, MP4BoxBuffer } from 'mp4box';

/**
 * Puts right what the encoder leaves out of its MP4:
 *
 * - the table of key frames, without which it claims that each frame is one: a player that seeks
 *   would start at a frame that
 *   needs others (ISO/IEC 14496-12, 8.6.2);
 * - times of creation and modification of zero ("unknown"), because the same request has to give
 *   the same bytes
 *   (8.2.2, 8.3.2 and 8.4.2).
 *
 * @param keyFrames 0-based, ascending
 * @throws when the media data does not come first, as its offsets would then be wrong
 */
export function complete(bytes: Buffer, keyFrames: number[]): Buffer {
	const file = createFile(true);
	file.appendBuffer(MP4BoxBuffer.fromArrayBuffer(new Uint8Array(bytes).buffer, 0), true);
	const order = file.boxes.map(({ type }) => type);
	const { moov } = file;
	const [track] = moov?.traks ?? [];
	if (!moov || !track || order.indexOf('mdat') > order.indexOf('moov')) {
		throw new Error('Not laid out as expected');
	}
	for (const header of [moov.mvhd, track.tkhd, track.mdia.mdhd]) {
		header.creation_time = 0;
		header.modification_time = 0;
	}
	const table = track.mdia.minf.stbl.addBox(new BoxParser.box.stss());
	table.sample_numbers = keyFrames.map((frame) => frame + 1);
	return Buffer.from(file.getBuffer().buffer);
}
