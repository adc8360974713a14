/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import type { QueueInstance } from './queueInstance';

/** @throws Error outside of a run of `test/jest/queue.js` */
function handedOver(): QueueInstance {
	const { queueInstance } = globalThis as { queueInstance?: QueueInstance };
	if (!queueInstance)
		throw new Error('Tests of queue mode need their setup: npx jest -c test/jest/queue.js');
	return queueInstance;
}

/** An n8n in queue mode that all tests share: two workers, two webhook processes. */
export const instance = handedOver();
