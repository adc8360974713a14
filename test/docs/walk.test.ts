/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { Session, type Profiler } from 'inspector/promises';
import { read, ROOT } from '../support/sources';
import { byId, setUp } from '../support/serviceRun';

jest.mock('../../src/base/clock', () => jest.requireActual('../support/virtualTime'));

/** What everything is made of, and how a form becomes a request: the page leaves it out. */
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

/** Names of folders and files, as a row of the walk has them: `n8n`: `check`, `creation/memory`; … */
function filesOfStep(row: string): string[] {
	return (row.split('|')[2] ?? '').split(';').flatMap((group) => {
		const [, folder, names = group] = /^\s*`([\w]+)`:(.*)$/.exec(group) ?? [];
		const all = [...names.matchAll(/`([\w/]+)`/g)].map(([, name = '']) => name);
		return all.map((name) => `src/${name.includes('/') ? '' : `${folder}/`}${name}.ts`);
	});
}

test('one Generate Image that goes well visits the files that docs/development.md names, and no others', async () => {
	const { model, run } = setUp({ given: { model: byId('m'), prompt: 'a lighthouse' } });
	const visited = await filesVisitedIn(run);
	expect(model.jobs).toHaveLength(1);
	const [, walk = ''] = /^\| Step .*\n\|.*\n((?:\|.*\n)+)/m.exec(read('docs/development.md')) ?? [];
	expect(walk.trim().split('\n').flatMap(filesOfStep).sort()).toEqual(visited);
});
