/* eslint-disable no-control-regex -- what files begin with, as bytes */
/*
 * Frames of MPEG audio (MP3), of which a file may have none at its beginning. Specification: ISO 11172-3,
 * 2.4.1.3 and ISO 13818-3, 2.4.2.3.
 */

/**
 * A pattern of the first three bytes of a frame, in the characters of latin1: eleven bits are set, and values
 * that no frame has are left out.
 */
export const SOUND_FRAME =
	/\xff[\xe2-\xe5\xf2-\xf5\xfa-\xfd][\0-\x0b\x10-\x1b\x20-\x2b\x30-\x3b\x40-\x4b\x50-\x5b\x60-\x6b\x70-\x7b\x80-\x8b\x90-\x9b\xa0-\xab\xb0-\xbb\xc0-\xcb\xd0-\xdb\xe0-\xeb]/;

/** Bit rates in kbit/s, by their number in a frame. Number 0 leaves the bit rate open. */
const RATES = {
	version1Layer2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
	version1Layer3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
	version2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};

/** Samples per second of version 1. Version 2 has half of them, version 2.5 a quarter. */
const SAMPLES = [44_100, 48_000, 32_000];

/** The length of a frame in bytes; 0 if the frame leaves it open. */
function frameLength(second: number, third: number): number {
	const version = (second >> 3) & 3;
	const isVersion1 = version === 3;
	const isLayer3 = ((second >> 1) & 3) === 1;
	const ofVersion1 = isLayer3 ? RATES.version1Layer3 : RATES.version1Layer2;
	const kbit = (isVersion1 ? ofVersion1 : RATES.version2)[third >> 4] ?? 0;
	const divisor = { 3: 1, 2: 2 }[version] ?? 4;
	const samples = (SAMPLES[(third >> 2) & 3] ?? Infinity) / divisor;
	const padding = (third >> 1) & 1;
	const bits = isLayer3 && !isVersion1 ? 72 : 144;
	return kbit === 0 ? 0 : Math.floor((bits * kbit * 1_000) / samples) + padding;
}

/**
 * Whether two frames follow each other somewhere in the data. A single one is found in any compressed file.
 */
export function hasFrames(head: string): boolean {
	for (const { index } of head.matchAll(new RegExp(SOUND_FRAME, 'g'))) {
		const second = head.charCodeAt(index + 1);
		const third = head.charCodeAt(index + 2);
		const length = frameLength(second, third);
		const next = head.slice(index + length, index + length + 3);
		const isSameSound =
			((next.charCodeAt(1) ^ second) & 0xfe) === 0 && ((next.charCodeAt(2) ^ third) & 0x0c) === 0;
		if (length > 0 && SOUND_FRAME.test(next) && isSameSound) return true;
	}
	return false;
}
