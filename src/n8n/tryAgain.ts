import type { Failed } from '../base/result';
import { refusalOf } from '../transport/statuses';

/**
 * Whether a failed row may succeed without being changed:
 * - `never`: something is wrong with the request itself, or the model could not make it
 * - `later`: once what was in the way is gone
 * - `afterTopUp`: once the workspace has credits
 */
export type TryAgain = 'never' | 'later' | 'afterTopUp';

/** After a refusal by the service. If the key is at fault, the row is not. */
function afterRefusal(failed: Failed): TryAgain {
	const refusal = refusalOf(failed);
	if (refusal === 'noCredits') return 'afterTopUp';
	// A job that cannot be found may be in the workspace of another key.
	const isAboutRow = refusal === 'invalid' || refusal === 'notFound';
	return isAboutRow && failed.job === undefined ? 'never' : 'later';
}

/** For batches that try failed rows again: they can leave out the rows that will never succeed. */
export function tryAgainOf(failed: Failed): TryAgain {
	const { failure } = failed;
	switch (failure.kind) {
		case 'input':
			return 'never';
		case 'upload':
			return failure.mayPass ? 'later' : 'never';
		case 'jobFailed':
			return failure.lacks === 'credits' ? 'afterTopUp' : 'never';
		case 'status':
			return afterRefusal(failed);
		case 'skipped':
			return failure.lacksCredits ? 'afterTopUp' : 'later';
		default:
			return 'later';
	}
}
