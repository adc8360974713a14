/** Boxes that hold other boxes on the way to those with a time of creation. */
const CONTAINERS = new Set(['moov', 'trak', 'mdia']);
const STAMPED = new Set(['mvhd', 'tkhd', 'mdhd']);

/**
 * Sets the times of creation and modification to zero ("unknown"), in place: they would make the
 * same request give other bytes each second. ISO/IEC 14496-12, 8.2.2, 8.3.2 and 8.4.2.
 */
export function withoutTimestamps(file: Buffer, start = 0, end = file.length): Buffer {
	for (let at = start; at + 8 <= end;) {
		const size = file.readUInt32BE(at);
		const type = file.toString('latin1', at + 4, at + 8);
		// 0 means "to the end", 1 a 64-bit size, which a video this short has no need of.
		const next = size < 8 ? end : Math.min(end, at + size);
		if (CONTAINERS.has(type)) withoutTimestamps(file, at + 8, next);
		if (STAMPED.has(type)) {
			const version = file[at + 8];
			file.fill(0, at + 12, at + 12 + (version === 1 ? 16 : 8));
		}
		at = next;
	}
	return file;
}
