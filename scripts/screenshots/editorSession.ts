import type { Page } from '../../lab/n8n/editor';
import type { Rest, SavedCredential } from '../../lab/n8n/rest';

/** The editor of a running n8n, with its owner signed in and a credential that works. */
export interface EditorSession {
	page: Page;
	rest: Rest;
	/** n8n's own address. */
	baseUrl: string;
	credential: SavedCredential;
}
