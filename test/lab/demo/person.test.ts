import type { ExampleRun } from '../../../lab/demo/exampleRun';
import { followPeople } from '../../../lab/demo/person';
import type { Rest, SavedWorkflow } from '../../../lab/n8n/rest';
import { until } from '../../e2e/support/until';

/** An n8n whose list of executions is what this array holds, newest first. */
const n8n = (ids: string[]) =>
	({ executions: { list: async () => ids.map((id) => ({ id })) } }) as unknown as Rest;

test('what a person starts is followed once, what was there before is not, and a failure is said', async () => {
	const ids = ['1'];
	const followed: string[] = [];
	const lines: string[] = [];
	const run = {
		follow: async (id: string) => {
			followed.push(id);
			if (id === '3') throw new Error('"Picture" failed');
		},
	} as ExampleRun;
	const log = (line: string) => void lines.push(line);
	const stop = await followPeople(run, { rest: n8n(ids), log }, {
		id: 'w',
	} as SavedWorkflow);
	try {
		ids.unshift('3', '2');
		await until(() => lines.length > 0);
	} finally {
		stop();
	}
	expect(followed).toEqual(['2', '3']);
	expect(lines).toEqual(['"Picture" failed']);
});
