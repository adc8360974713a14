import type { CredentialData, Rest, SavedCredential } from './rest';

/** Our credential type. */
export const credentialType = 'mediaGenApi';

/** Where and how the nodes shall talk to the service. */
export interface Access {
	apiKey: string;
	/** Ends in `/v1`. */
	baseUrl: string;
	/** Default: what the credential itself starts with, all of them. */
	scopes?: string[];
	/** How many times faster than life the service's clock runs; its limits of a minute scale along. */
	clockScale?: number;
}

/** Fields of the credential; limits of the plan are the service's defaults (Limits: 60 and 5). */
export function credentialData({
	apiKey,
	baseUrl,
	scopes,
	clockScale = 1,
}: Access): CredentialData {
	return {
		apiKey,
		baseUrl,
		...(scopes && { scopes }),
		requestsPerMinute: 60 * clockScale,
		concurrentJobs: 5,
	};
}

/** Makes the credential of this name, or brings the one of an earlier start up to date. */
export async function saveCredential(
	rest: Rest,
	name: string,
	access: Access,
): Promise<SavedCredential> {
	const saved = (await rest.credentials.list()).find(
		(known) => known.type === credentialType && known.name === name,
	);
	return saved
		? await rest.credentials.update(saved, credentialData(access))
		: await rest.credentials.create(credentialType, name, credentialData(access));
}
