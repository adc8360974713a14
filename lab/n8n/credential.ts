import type { CredentialData, Rest, SavedCredential } from './rest';

/** Our credential type. */
export const credentialType = 'mediaGenApi';

/** Where and how the nodes connect to the service. */
export interface Access {
	apiKey: string;
	/** Ends in `/v1`. */
	baseUrl: string;
	/** What the credential is limited to; default: left as it is in the form, without a limit. */
	scopes?: string[];
	/**
	 * How many times faster than life the service's clock runs; its limits of a minute scale along.
	 */
	clockScale?: number;
}

/**
 * Fields of the credential as n8n saves them for a person who enters a key and a base URL and
 * touches nothing else; limits of the plan are the service's defaults (Limits: 60 and 5), by its
 * clock.
 */
export function credentialData({
	apiKey,
	baseUrl,
	scopes = [],
	clockScale = 1,
}: Access): CredentialData {
	return {
		apiKey,
		baseUrl,
		scopes,
		requestsPerMinute: 60 * clockScale,
		concurrentJobs: 5,
		allowedHttpRequestDomains: 'none',
		allowedDomains: '',
	};
}

/** Makes our credential of this name, or brings the one of an earlier start up to date. */
export async function saveCredential(
	rest: Rest,
	name: string,
	access: Access,
): Promise<SavedCredential> {
	return await saveOfType(rest, credentialType, name, credentialData(access));
}

/** The same with a credential of any type. */
export async function saveOfType(
	{ credentials }: Rest,
	type: string,
	name: string,
	data: CredentialData,
): Promise<SavedCredential> {
	const saved = (await credentials.list()).find((one) => one.type === type && one.name === name);
	return saved ? await credentials.update(saved, data) : await credentials.create(type, name, data);
}
