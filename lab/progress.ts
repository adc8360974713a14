/** Tells a person what is being done. Silent where nobody looks, as in tests. */
export type Tell = (line: string) => void;

/** A {@link Tell} for library callers that want no output. */
export const silent: Tell = () => undefined;

/**
 * Does something slow and says every few seconds that it still goes on.
 *
 * @param label what is being done, with the time it usually takes
 */
export async function withProgress<T>(
	tell: Tell,
	label: string,
	work: () => Promise<T>,
	everyMs = 5_000,
): Promise<T> {
	const started = Date.now();
	const seconds = () => Math.round((Date.now() - started) / 1000);
	tell(`${label} …`);
	const beat = setInterval(() => tell(`${label} … ${seconds()} s`), everyMs);
	try {
		return await work();
	} finally {
		clearInterval(beat);
	}
}
