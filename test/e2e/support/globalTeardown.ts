/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
/** Ends what `globalSetup.ts` started; jest runs both in the same process. */
export default async function globalTeardown(): Promise<void> {
	await globalThis.stopEverything?.();
}
