import { credentialData } from '../../../lab/n8n/credential';
import type { SavedCredential } from '../../../lab/n8n/rest';
import type { TriggerInstance } from './triggerInstance';

/** A credential whose API key can be replaced by another one of the same workspace. */
export interface ChangeableCredential {
	credential: SavedCredential;
	/** The key before the change and after it. */
	keys: [string, string];
	/** Saves the other key and starts n8n again, as after an update. */
	changeKey(): Promise<void>;
}

export async function changeableCredential(
	instance: TriggerInstance,
	name: string,
): Promise<ChangeableCredential> {
	const { adminUrl, baseUrl, keys } = instance.sandbox;
	const [{ key, workspace, scopes } = { key: '', workspace: '', scopes: [] }] = keys;
	const changedKey = `${key}_changed`;
	await fetch(`${adminUrl}/keys`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ key: changedKey, workspace, scopes }),
	});
	const data = credentialData({ apiKey: key, baseUrl, clockScale: 1_000 });
	const credential = await instance.rest.credentials.create('mediaGenApi', name, data);
	return {
		credential,
		keys: [key, changedKey],
		async changeKey() {
			await instance.rest.credentials.update(credential, { ...data, apiKey: changedKey });
			await instance.down();
			await instance.up();
		},
	};
}
