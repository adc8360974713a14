/*
 * Sample files in place of media that a dry run does not make. They are small, valid, and of the kind and
 * shape that was asked for, so that the nodes after it can be built without paying.
 */

function crc32(bytes: Uint8Array): number {
	let crc = 0xffffffff;
	for (const byte of bytes) {
		crc ^= byte;
		for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return (crc ^ 0xffffffff) >>> 0;
}

function adler32(bytes: Uint8Array): number {
	let low = 1;
	let high = 0;
	for (const byte of bytes) {
		low = (low + byte) % 65_521;
		high = (high + low) % 65_521;
	}
	return ((high << 16) | low) >>> 0;
}

function uint32(value: number): Buffer {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32BE(value);
	return bytes;
}

/** A chunk of a PNG file: its length, name, data and checksum. */
function chunk(name: string, data: Uint8Array): Buffer {
	const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
	return Buffer.concat([uint32(data.length), named, uint32(crc32(named))]);
}

const MAX_STORED = 65_535;

/** The zlib format without compression: published code may not import Node's zlib. */
function stored(data: Uint8Array): Uint8Array {
	const parts: Uint8Array[] = [Buffer.from([0x78, 0x01])];
	for (let at = 0; at < data.length; at += MAX_STORED) {
		const part = data.subarray(at, at + MAX_STORED);
		const header = Buffer.alloc(5);
		header.writeUInt8(at + MAX_STORED >= data.length ? 1 : 0, 0);
		header.writeUInt16LE(part.length, 1);
		header.writeUInt16LE(part.length ^ 0xffff, 3);
		parts.push(header, part);
	}
	return Buffer.concat([...parts, uint32(adler32(data))]);
}

/** The palette: violet and white. */
const PALETTE = Buffer.from([0x6e, 0x5c, 0xc8, 0xff, 0xff, 0xff]);

/** The width of the white frame, in bytes of eight pixels each. */
const FRAME = 1;

/**
 * A PNG of one colour with a frame.
 * @param width and height in pixels
 */
export function samplePng(width: number, height: number): Buffer {
	const bytesPerRow = Math.ceil(width / 8);
	const row = Buffer.alloc(1 + bytesPerRow);
	row.fill(0xff, 1, 1 + FRAME);
	row.fill(0xff, 1 + bytesPerRow - FRAME);
	const white = Buffer.alloc(1 + bytesPerRow, 0xff);
	white[0] = 0;
	const isFrame = (line: number) => line < 8 * FRAME || line >= height - 8 * FRAME;
	const rows = Array.from({ length: height }, (_, line) => (isFrame(line) ? white : row));
	// Each pixel has one bit, which chooses a colour of the palette.
	const header = Buffer.concat([uint32(width), uint32(height), Buffer.from([1, 3, 0, 0, 0])]);
	return Buffer.concat([
		Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
		chunk('IHDR', header),
		chunk('PLTE', PALETTE),
		chunk('IDAT', stored(Buffer.concat(rows))),
		chunk('IEND', Buffer.alloc(0)),
	]);
}

const SAMPLES_PER_SECOND = 8_000;
const TONE_HZ = 440;

/** A WAV of one second: a quiet tone, mono, 8 bits. */
export function sampleWav(): Buffer {
	const header = Buffer.alloc(44);
	header.write('RIFF', 0, 'latin1');
	header.writeUInt32LE(36 + SAMPLES_PER_SECOND, 4);
	header.write('WAVEfmt ', 8, 'latin1');
	header.writeUInt32LE(16, 16);
	header.writeUInt16LE(1, 20);
	header.writeUInt16LE(1, 22);
	header.writeUInt32LE(SAMPLES_PER_SECOND, 24);
	header.writeUInt32LE(SAMPLES_PER_SECOND, 28);
	header.writeUInt16LE(1, 32);
	header.writeUInt16LE(8, 34);
	header.write('data', 36, 'latin1');
	header.writeUInt32LE(SAMPLES_PER_SECOND, 40);
	const tone = Array.from({ length: SAMPLES_PER_SECOND }, (_, index) =>
		Math.round(128 + 20 * Math.sin((2 * Math.PI * TONE_HZ * index) / SAMPLES_PER_SECOND)),
	);
	return Buffer.concat([header, Buffer.from(tone)]);
}

/** An MP4 (H.264) of one second with 320 x 180 pixels: a violet picture. */
const MP4 = `AAAAGGZ0eXBtcDQyAAAAAG1wNDJpc29tAAAAiGZyZWUAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
AAAAAAAAAAAAAAAAAQ9tZGF0AAAA+mW4Ef//+CK/HAA0nJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJyc
nJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJyc
nJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJyc
nJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnJ4AAAAFYeEeA8YAAAJsbW9vdgAAAGxtdmhkAAAA
AOcslennLJXpAAFfkAABX5AAAQAAAQAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAA
AAAAAAAAAAAAAAAAAAAAAAAAAAAAAgAAABhpb2RzAAAAABCAgIAHAE////9//wAAAeB0cmFrAAAAXHRraGQAAAAB5yyV6ecslekA
AAABAAAAAAABX5AAAAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAAUAAAAC0AAAAAAF8
bWRpYQAAACBtZGhkAAAAAOcslennLJXpAAFfkAABX5BVxAAAAAAAIWhkbHIAAAAAAAAAAHZpZGUAAAAAAAAAAAAAAAAAAAABM21p
bmYAAAAUdm1oZAAAAAEAAAAAAAAAAAAAACRkaW5mAAAAHGRyZWYAAAAAAAAAAQAAAAx1cmwgAAAAAQAAAPNzdGJsAAAAh3N0c2QA
AAAAAAAAAQAAAHdhdmMxAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAAUAAtABIAAAASAAAAAAAAAABDkpWVC9BVkMgQ29kaW5nAAAA
AAAAAAAAAAAAAAAAAAAAGP//AAAAIWF2Y0MBQgAL/+EACWdCAAumgUGfnQEABWjOA5yAAAAAGHN0dHMAAAAAAAAAAQAAAAIAAK/I
AAAAHHN0c3oAAAAAAAAAAAAAAAIAAAD+AAAACQAAABxzdHNjAAAAAAAAAAEAAAABAAAAAgAAAAEAAAAUc3RjbwAAAAAAAAABAAAA
qAAAAIhmcmVlAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
`;

export const sampleMp4 = (): Buffer => Buffer.from(MP4, 'base64');
