import { requestLimit, type Counting } from '../model/modelService/requestLimit';

const MINUTE = 60_000;

/** How many of these are served; each as a moment and a number of requests. */
function served(
	counting: Counting,
	tries: Array<[at: number, count: number]>,
	burst?: number,
): number[] {
	const limit = requestLimit(counting, 60, burst);
	return tries.map(([at, count]) => {
		const answers = Array.from({ length: count }, () => limit.admits(at));
		return answers.filter(Boolean).length;
	});
}

test('a sliding window: 60 in any minute, whenever it begins', () => {
	expect(
		served('sliding', [
			[0, 30],
			[30_000, 40],
			[MINUTE - 1, 1],
			[MINUTE, 40],
		]),
	).toEqual([30, 30, 0, 30]);
});

test('a fixed window: 60 in each minute of the clock', () => {
	expect(
		served('fixed', [
			[MINUTE - 1, 70],
			[MINUTE, 70],
		]),
	).toEqual([60, 60]);
});

test('a token bucket: a burst at once, then one per second', () => {
	expect(
		served(
			'bucket',
			[
				[0, 70],
				[1_000, 3],
				[10_000, 20],
			],
			10,
		),
	).toEqual([10, 1, 9]);
	expect(
		served('bucket', [
			[0, 70],
			[MINUTE, 70],
		]),
	).toEqual([60, 60]);
});
