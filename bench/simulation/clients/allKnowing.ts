/**
 * When a scheduler is through that knows every end in the moment it comes, pays no request for it, and has
 * the next job running in that same moment: no client can be faster with these jobs in this order. Seconds.
 * @param durations of the jobs in the order of their creation, in seconds
 */
export function allKnowing(
	durations: readonly number[],
	{ slots, perMinute }: { slots: number; perMinute: number },
): number {
	const free = Array.from({ length: slots }, () => 0);
	const begun: number[] = [];
	for (const [job, seconds] of durations.entries()) {
		const slot = free.indexOf(Math.min(...free));
		const oneMinuteAgo = begun[job - perMinute];
		const at = Math.max(free[slot] ?? 0, oneMinuteAgo === undefined ? 0 : oneMinuteAgo + 60);
		begun.push(at);
		free[slot] = at + seconds;
	}
	return Math.max(...free);
}
