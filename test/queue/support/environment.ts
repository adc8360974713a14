/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import { TestEnvironment } from 'jest-environment-node';
import type { QueueInstance } from './queueInstance';

/**
 * Node's environment with the instance of the global setup in it: test files see nothing else of
 * the process that it ran in.
 */
export default class QueueEnvironment extends TestEnvironment {
	override async setup(): Promise<void> {
		await super.setup();
		const outer = globalThis as { queueInstance?: QueueInstance };
		(this.global as { queueInstance?: QueueInstance }).queueInstance = outer.queueInstance;
	}
}
