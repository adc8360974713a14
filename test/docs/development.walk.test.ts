/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { Session, type Profiler } from 'inspector/promises';
import { posix } from 'path';
import { read, ROOT } from '../support/sources';
import { byId, setUp } from '../support/serviceRun';

jest.mock('../../src/base/clock', () => jest.requireActual('../support/virtualTime'));

/** What everything is made of, and how a form becomes a request: the walk leaves it out. */
const LEFT_OUT = /^src\/(base|api|fields)\//;

/**
 * Whether a function does something when it is called: not one that only gives what a module exports or
 * begins an object.
 */
const isWork = ({ functionName: name, ranges: [whole] }: Profiler.FunctionCoverage): boolean =>
	(whole?.count ?? 0) > 0 && /^[a-z]/.test(name) && !/^get\b/.test(name);

/** The files of src of which a function runs meanwhile, as V8 itself counts. */
async function filesVisitedIn(run: () => Promise<unknown>): Promise<string[]> {
	const session = new Session();
	session.connect();
	await session.post('Profiler.enable');
	await session.post('Profiler.startPreciseCoverage', { callCount: true });
	await run();
	const { result } = await session.post('Profiler.takePreciseCoverage');
	session.disconnect();
	return result
		.filter(({ functions }) => functions.some(isWork))
		.map(({ url }) => url.replace('file://', '').replace(`${ROOT}/`, ''))
		.filter((file) => file.startsWith('src/') && !LEFT_OUT.test(file))
		.sort();
}

/** More files than that nobody keeps in mind. */
const MOST_FILES = 28;

test('one Generate Image that goes well visits the files that each step of docs/development.md names', async () => {
	const { model, run } = setUp({ given: { model: byId('m'), prompt: 'a lighthouse' } });
	const visited = await filesVisitedIn(run);
	expect(model.jobs).toHaveLength(1);
	const names = visited.map((file) => posix.basename(file));
	const [, page = ''] = read('docs/development.md').split('## What happens to one Generate Image');
	const [, walk = ''] = /^(1\. .*?)\n\n/ms.exec(page) ?? [];
	const steps = walk.split(/^\d+\. /m).slice(1);
	const named = steps.map((step) =>
		[...step.matchAll(/`(\w+\.ts)`/g)].map(([, name = '']) => name),
	);
	expect(named.length).toBeGreaterThan(8);
	expect(named.filter((ofStep) => ofStep.length === 0)).toEqual([]);
	expect(named.flat().filter((name) => !names.includes(name))).toEqual([]);
	expect(visited.length).toBeLessThanOrEqual(MOST_FILES);
});
