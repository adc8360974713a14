export interface Movie {
	brand: string;
	/** Seconds, from the movie header and from the sum of the samples' durations. */
	duration: number;
	sampledDuration: number;
	width: number;
	height: number;
	codec: string;
	/** Types of the NAL units in each sample; 5 is a key frame, 1 another one (H.264, table 7-1). */
	nalUnits: number[][];
	/** 0-based. */
	keyFrames: number[];
	createdAt: number;
}

type Boxes = Map<string, Buffer>;

/** The boxes of one level by type, the first of each. Throws where sizes do not add up. */
function readBoxes(bytes: Buffer): Boxes {
	const boxes: Boxes = new Map();
	for (let at = 0; at < bytes.length;) {
		const size = bytes.readUInt32BE(at);
		if (size < 8 || at + size > bytes.length) throw new Error(`A box at ${at} has size ${size}`);
		const type = bytes.toString('latin1', at + 4, at + 8);
		if (!boxes.has(type)) boxes.set(type, bytes.subarray(at + 8, at + size));
		at += size;
	}
	return boxes;
}

function descend(boxes: Boxes, type: string, ...rest: string[]): Buffer {
	const box = boxes.get(type);
	if (!box) throw new Error(`No box ${type}`);
	const [next, ...others] = rest;
	return next === undefined ? box : descend(readBoxes(box), next, ...others);
}

/**
 * Reads an MP4 of one H.264 track down to the NAL units of each frame. ISO/IEC 14496-12 and -15.
 */
export function readMp4(bytes: Buffer): Movie {
	const file = readBoxes(bytes);
	const inTable = (type: string) => descend(file, 'moov', 'trak', 'mdia', 'minf', 'stbl', type);
	const header = descend(file, 'moov', 'mvhd');
	const media = descend(file, 'moov', 'trak', 'mdia', 'mdhd');
	const description = inTable('stsd').subarray(8);
	const sync = inTable('stss');
	const times = inTable('stts');
	let ticks = 0;
	for (let i = 0; i < times.readUInt32BE(4); i++) {
		ticks += times.readUInt32BE(8 + i * 8) * times.readUInt32BE(12 + i * 8);
	}
	return {
		brand: descend(file, 'ftyp').toString('latin1', 0, 4),
		duration: header.readUInt32BE(16) / header.readUInt32BE(12),
		sampledDuration: ticks / media.readUInt32BE(12),
		codec: description.toString('latin1', 4, 8),
		width: description.readUInt16BE(32),
		height: description.readUInt16BE(34),
		nalUnits: readSamples(bytes, inTable),
		keyFrames: Array.from(
			{ length: sync.readUInt32BE(4) },
			(_, i) => sync.readUInt32BE(8 + i * 4) - 1,
		),
		createdAt: header.readUInt32BE(4),
	};
}

function readSamples(bytes: Buffer, inTable: (type: string) => Buffer): number[][] {
	const sizes = inTable('stsz');
	const offsets = inTable('stco');
	const runs = inTable('stsc');
	const chunks = offsets.readUInt32BE(4);
	const samples: number[][] = [];
	for (let run = 0; run < runs.readUInt32BE(4); run++) {
		const first = runs.readUInt32BE(8 + run * 12);
		const last = run + 1 < runs.readUInt32BE(4) ? runs.readUInt32BE(20 + run * 12) - 1 : chunks;
		for (let chunk = first; chunk <= last; chunk++) {
			let at = offsets.readUInt32BE(8 + (chunk - 1) * 4);
			for (let i = 0; i < runs.readUInt32BE(12 + run * 12); i++) {
				const fixed = sizes.readUInt32BE(4);
				const size = fixed || sizes.readUInt32BE(12 + samples.length * 4);
				samples.push(readNalUnits(bytes.subarray(at, at + size), size));
				at += size;
			}
		}
	}
	if (samples.length !== sizes.readUInt32BE(8))
		throw new Error('Samples are missing in the chunks');
	return samples;
}

function readNalUnits(sample: Buffer, size: number): number[] {
	if (sample.length !== size) throw new Error('A sample lies beyond the end of the file');
	const types: number[] = [];
	for (let at = 0; at < size;) {
		const length = sample.readUInt32BE(at);
		if (length === 0 || at + 4 + length > size) throw new Error('A NAL unit leaves its sample');
		types.push(sample.readUInt8(at + 4) & 31);
		at += 4 + length;
	}
	return types;
}
