/**
 * What is used of mp4box 2, whose own types the module resolution of this project does not find.
 */
declare module 'mp4box' {
	interface Header {
		creation_time: number;
		modification_time: number;
	}

	interface SyncSampleBox {
		/** 1-based. */
		sample_numbers: number[];
	}

	interface Track {
		tkhd: Header;
		mdia: {
			mdhd: Header;
			minf: { stbl: { addBox(box: SyncSampleBox): SyncSampleBox } };
		};
	}

	interface Mp4File {
		boxes: Array<{ type: string }>;
		moov?: { mvhd: Header; traks: Track[] };
		appendBuffer(part: MP4BoxBuffer, isLast: boolean): void;
		/** The whole file, as its boxes are by then. */
		getBuffer(): { buffer: ArrayBuffer };
	}

	export class MP4BoxBuffer {
		static fromArrayBuffer(bytes: ArrayBuffer, fileStart: number): MP4BoxBuffer;
	}

	export const BoxParser: { box: { stss: new () => SyncSampleBox } };

	/** @param keepMediaData or only the boxes that describe it */
	export function createFile(keepMediaData: boolean): Mp4File;
}
