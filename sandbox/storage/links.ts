import { createHmac } from 'crypto';

import type { Clock } from '../clock';
import type { FileEntity, OutputEntity } from '../entities';

/** What each kind of media is made as. */
export const MEDIA_FORMATS = {
	image: { mediaType: 'image/png', extension: 'png' },
	video: { mediaType: 'video/mp4', extension: 'mp4' },
	music: { mediaType: 'audio/wav', extension: 'wav' },
	sfx: { mediaType: 'audio/wav', extension: 'wav' },
	speech: { mediaType: 'audio/wav', extension: 'wav' },
} as const;

/** Open point 22: how long a signed link is good. */
const SIGNED_SECONDS = 15 * 60;

type Output = Pick<OutputEntity, 'id' | 'kind'> & Partial<Pick<OutputEntity, 'delivery'>>;

/** The last part of an output's address. */
export const outputName = ({ id, kind }: Output) => `${id}.${MEDIA_FORMATS[kind].extension}`;

/** Makes and checks the addresses outside the contract: uploads, files and outputs. */
export class Links {
	constructor(
		/** For example `http://127.0.0.1:4010`. */
		readonly origin: string,
		private readonly secret: string,
		private readonly clock: Clock,
		/** Where the sandbox listens; differs from the origin behind a proxy. */
		private readonly local = origin,
	) {}

	/** Where the file is PUT; good once and until then. */
	upload(file: FileEntity): string {
		return this.sign(`/uploads/${file.id}`, file.uploadExpiresAt);
	}

	/** Where an uploaded file can be read. */
	file(file: FileEntity): string {
		return `${this.origin}/files/${file.id}/${encodeURIComponent(file.filename)}`;
	}

	/** Where an output can be read: without a limit, or until `expires_at` for a signed link. */
	output({ delivery = 'public_url', ...output }: Output): { url: string; expires_at?: string } {
		const path = `/outputs/${outputName(output)}`;
		if (delivery === 'public_url') return { url: this.origin + path };
		const expires = Math.round(this.clock.ahead(SIGNED_SECONDS));
		return { url: this.sign(path, expires), expires_at: new Date(expires).toISOString() };
	}

	/** What is wrong with the signature in a query; undefined when it is good. */
	check(path: string, { expires, signature }: Record<string, unknown>) {
		if (signature !== this.mac(path, String(expires))) return 'forged';
		return this.clock.now() > Number(expires) ? 'expired' : undefined;
	}

	/** The path of an address of ours, or undefined for any other. */
	own(url: URL): string | undefined {
		return [this.origin, this.local].includes(url.origin) ? url.pathname : undefined;
	}

	private sign(path: string, expiresAt: number): string {
		const expires = String(Math.round(expiresAt));
		const query = new URLSearchParams({ expires, signature: this.mac(path, expires) });
		return `${this.origin}${path}?${query.toString()}`;
	}

	private mac(path: string, expires: string): string {
		return createHmac('sha256', this.secret).update(`${path}\n${expires}`).digest('hex');
	}
}
