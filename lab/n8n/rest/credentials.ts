import type { Session } from './session';

/** A saved credential, as nodes refer to it. */
export interface SavedCredential {
	id: string;
	name: string;
	type: string;
}

/** Values of a credential's fields, by internal name. */
export type CredentialData = Record<string, unknown>;

/** What the credential's Test button says. */
export interface CredentialTest {
	status: 'OK' | 'Error';
	message: string;
}

/** Credentials of the signed-in user. */
export class Credentials {
	constructor(private readonly session: Session) {}

	async create(type: string, name: string, data: CredentialData): Promise<SavedCredential> {
		return await this.session.request('POST', '/rest/credentials', { type, name, data });
	}

	async update(saved: SavedCredential, data: CredentialData): Promise<SavedCredential> {
		const { id, name, type } = saved;
		return await this.session.request('PATCH', `/rest/credentials/${id}`, { name, type, data });
	}

	async delete(id: string): Promise<void> {
		await this.session.request('DELETE', `/rest/credentials/${id}`);
	}

	async list(): Promise<SavedCredential[]> {
		return await this.session.request('GET', '/rest/credentials');
	}

	/**
	 * Presses Test on a credential, as saved or with these values instead. The editor always sends
	 * the fields along, secrets blanked out, and n8n puts the saved secrets back in.
	 */
	async test(
		{ id, name, type }: SavedCredential,
		values?: CredentialData,
	): Promise<CredentialTest> {
		const data = values ?? (await this.blanked(id));
		return await this.session.request('POST', '/rest/credentials/test', {
			credentials: { id, name, type, data },
		});
	}

	private async blanked(id: string): Promise<CredentialData> {
		const path = `/rest/credentials/${id}?includeData=true`;
		return (await this.session.request<{ data: CredentialData }>('GET', path)).data;
	}
}
