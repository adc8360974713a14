/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
/** Ends what `globalSetup.ts` has started. */
export default async function globalTeardown(): Promise<void> {
	await globalThis.queueInstance?.stop();
}
