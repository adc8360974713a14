import { until as untilThere } from '../../../lab/process/process';

/**
 * Polls until something holds or time is up; the expectation after it then fails with the current
 * value.
 */
export async function until(
	test: () => boolean | Promise<boolean>,
	timeoutMs = 20_000,
): Promise<void> {
	await untilThere(async () => await test(), { timeoutMs });
}
