import { readNewest } from '../transport/jobs/readJob';
import type { Result } from '../transport/base/result';
import type { Channel, Resource } from '../transport/base/types';
import type { Workspace } from '../transport/workspace';

/** The share of the requests per minute that events may use. */
const RATE_SHARE = 0.25;

type Page = Result<Map<string, Resource>>;

/** Reads the newest generations at a low rate; callers that arrive meanwhile share one read. */
class NewestPage {
	private next: Promise<Page> | undefined;

	private lastAt = -Infinity;

	constructor(private readonly workspace: Workspace) {}

	/** A page requested from now on: one that is already in flight may be older than the event. */
	async read(channel: Channel): Promise<Page> {
		return await (this.next ??= this.begin(channel));
	}

	private async begin(channel: Channel): Promise<Page> {
		const { client, clock, rateLimiter } = this.workspace;
		const spacing = 60_000 / (rateLimiter.requestsPerMinute * RATE_SHARE);
		await clock.sleep(this.lastAt + spacing - clock.monotonic());
		let isSent = false;
		const sent = () => {
			// Callers from now on need a newer page.
			if (!isSent) this.next = undefined;
			isSent = true;
		};
		const send: Channel['send'] = async (request) => {
			this.lastAt = clock.monotonic();
			sent();
			return await channel.send(request);
		};
		try {
			return await readNewest(client, { ...channel, send });
		} finally {
			sent();
		}
	}
}

const pages = new WeakMap<Workspace, NewestPage>();

/**
 * The newest generations by id. Every parked execution receives every event, and many of them ask
 * at once: they share a page, and together use no more than a fixed share of the requests per
 * minute.
 */
export async function newestPage(workspace: Workspace, channel: Channel): Promise<Page> {
	const known = pages.get(workspace) ?? new NewestPage(workspace);
	pages.set(workspace, known);
	return await known.read(channel);
}
