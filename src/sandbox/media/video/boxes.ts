/** Boxes that hold other boxes, on the way to those that are changed here. */
const CONTAINERS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl']);
const STAMPED = new Set(['mvhd', 'tkhd', 'mdhd']);

interface Box {
	type: string;
	/** Bytes from the start of the file. */
	start: number;
	end: number;
}

/** Every box down to those of the sample table, parents before their children. */
function* walk(file: Buffer, from = 0, to = file.length): Generator<Box> {
	for (let start = from; start + 8 <= to;) {
		const size = file.readUInt32BE(start);
		const type = file.toString('latin1', start + 4, start + 8);
		// 0 means "to the end", 1 a 64-bit size, which a video this short has no need of.
		const end = size < 8 ? to : Math.min(to, start + size);
		yield { type, start, end };
		if (CONTAINERS.has(type)) yield* walk(file, start + 8, end);
		start = end;
	}
}

/**
 * Sets the times of creation and modification to zero ("unknown"), in place: they would make the
 * same request give other bytes each second. ISO/IEC 14496-12, 8.2.2, 8.3.2 and 8.4.2.
 */
export function clearTimestamps(file: Buffer): void {
	for (const { type, start } of walk(file)) {
		if (!STAMPED.has(type)) continue;
		const version = file[start + 8];
		file.fill(0, start + 12, start + 12 + (version === 1 ? 16 : 8));
	}
}

/**
 * Adds the table of key frames, which the library leaves out and so claims that each frame is one: a
 * player that seeks would start at a frame that needs others. ISO/IEC 14496-12, 8.6.2.
 *
 * @param keyFrames 0-based, ascending
 * @throws when the media data does not come first, as its offsets would then be wrong
 */
export function addKeyFrames(file: Buffer, keyFrames: number[]): Buffer {
	const parents = [...walk(file)].filter(({ type }) => CONTAINERS.has(type));
	const table = parents.find(({ type }) => type === 'stbl');
	const data = [...walk(file)].find(({ type }) => type === 'mdat');
	if (!table || !data || data.start > table.start) throw new Error('Not laid out as expected');
	const box = Buffer.alloc(16 + keyFrames.length * 4);
	box.writeUInt32BE(box.length, 0);
	box.write('stss', 4, 'latin1');
	box.writeUInt32BE(keyFrames.length, 12);
	keyFrames.forEach((frame, i) => box.writeUInt32BE(frame + 1, 16 + i * 4));
	for (const { start, end } of parents) file.writeUInt32BE(end - start + box.length, start);
	return Buffer.concat([file.subarray(0, table.end), box, file.subarray(table.end)]);
}
