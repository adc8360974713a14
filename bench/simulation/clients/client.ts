import type { ServiceSettings } from '../../../test/model/modelService/settings';
import type { VirtualClock } from '../../../test/model/virtualClock';
import type { Random, Send } from '../../../src/base/types';

/** What a client is given: a service in virtual time and random numbers of its own. */
export interface Scene {
	clock: VirtualClock;
	/** Asks the service. */
	send: Send;
	/** Those of the service, whose `onEnd` a client replaces that is notified of the end of jobs. */
	settings: ServiceSettings;
	random: Random;
	/** How many jobs there are to be made. */
	jobs: number;
}

/** One way to make N jobs. Resolves with the number of jobs that it gave up. */
export interface Client {
	name: string;
	/** Whether the service notifies it of the end of jobs. */
	events?: boolean;
	run(scene: Scene): Promise<number>;
}

/** Creates the items 0 … count - 1, a number of them at a time. */
export async function inLanes(
	count: number,
	lanes: number,
	make: (item: number) => Promise<void>,
): Promise<void> {
	let next = 0;
	const lane = async () => {
		while (next < count) await make(next++);
	};
	await Promise.all(Array.from({ length: Math.min(lanes, count) }, lane));
}
