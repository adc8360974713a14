import { Client } from '../../../src/transport/http/client';
import { RateLimiter } from '../../../src/transport/limits/rateLimiter';
import { readJobs, type JobRef, type ReadOptions } from '../../../src/transport/jobs/readJobs';
import type { ApiRequest, ApiResponse, Resource } from '../../../src/transport/base/types';
import { errorBody } from '../../../testing/answers';
import { InstantClock } from '../../../testing/instantClock';

type Answer = (request: ApiRequest) => ApiResponse | undefined;

const body = (value: unknown): ApiResponse => ({ status: 200, headers: {}, body: value });

const generation = (id: string, status = 'queued', more: object = {}): Resource => ({
	id,
	object: 'generation',
	status,
	...more,
});

const outputs = { outputs: [{ id: 'out_1', url: 'https://x/1', media_type: 'image/png' }] };

const ref = (id: string, object?: string): JobRef => ({ id, path: `/jobs/${id}`, object });

/** Reads from a service that has these pages of generations, and any job by itself. */
async function read(
	refs: JobRef[],
	pages: Resource[][],
	options: ReadOptions = {},
	special: Answer = () => undefined,
) {
	const clock = new InstantClock();
	const client = new Client(new RateLimiter(clock, 1_000_000), clock, () => 0.5);
	const asked: string[] = [];
	const send = async (request: ApiRequest) => {
		const { path, query } = request;
		const page = Number(query?.cursor ?? 0);
		asked.push(path === '/generations' ? `page ${page}` : path.replace('/jobs/', ''));
		const answered = special(request);
		if (answered) return answered;
		if (path !== '/generations')
			return body(generation(path.replace('/jobs/', ''), 'completed', outputs));
		const isLast = page >= pages.length - 1;
		return body({
			object: 'list',
			data: pages[page] ?? [],
			has_more: !isLast,
			next_cursor: isLast ? null : String(page + 1),
		});
	};
	const found = await readJobs(client, { send, fairnessKey: 'test' }, refs, options);
	return { found, asked };
}

const statuses = (found: Awaited<ReturnType<typeof read>>['found']) =>
	Object.fromEntries([...found].map(([id, job]) => [id, job.ok ? job.value.status : 'failed']));

test('one list request covers all generations', async () => {
	const refs = ['a', 'b', 'c'].map((id) => ref(id));
	const page = [
		generation('a'),
		generation('x'),
		generation('b', 'completed', outputs),
		generation('c'),
	];
	const { found, asked } = await read(refs, [page]);
	expect(asked).toEqual(['page 0']);
	expect(statuses(found)).toEqual({ a: 'queued', b: 'completed', c: 'queued' });
});

test('a single job is read by itself', async () => {
	const { asked } = await read([ref('a')], [[generation('a')]]);
	expect(asked).toEqual(['a']);
});

test('pages are followed to generations that are no longer among the newest, as long as that can cost less', async () => {
	const refs = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ref(id, 'generation'));
	const old = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => generation(id));
	const { asked, found } = await read(refs, [[generation('x')], [generation('y')], old]);
	expect(asked).toEqual(['page 0', 'page 1', 'page 2']);
	expect(found.size).toBe(6);
	const few = await read(refs.slice(0, 4), [[generation('x')], [generation('y')], old]);
	expect(few.asked).toEqual(['page 0', 'page 1', 'a', 'b', 'c', 'd']);
});

test('after a page without any of them, jobs of unknown kind are what one of them is', async () => {
	const pages = Array.from({ length: 3 }, (_, each) => [generation(`x${each}`)]);
	const speech: Answer = ({ path }) =>
		path === '/generations'
			? undefined
			: body({
					id: path.replace('/jobs/', ''),
					object: 'speech_generation',
					status: 'queued',
				});
	const ids = (kind: string) => Array.from({ length: 20 }, (_, each) => ref(`${kind}_${each}`));
	const others = await read(ids('speech'), pages, {}, speech);
	expect(others.asked.slice(0, 3)).toEqual(['page 0', 'speech_0', 'speech_1']);
	expect(others.found.size).toBe(20);
	const old = ids('gen').map(({ id }) => generation(id));
	const generations = await read(ids('gen'), [...pages, old]);
	expect(generations.asked).toEqual(['page 0', 'gen_0', 'page 1', 'page 2', 'page 3']);
	expect(generations.found.size).toBe(20);
});

test('jobs known not to be generations are not searched for in the list', async () => {
	const { asked } = await read([ref('s1', 'speech_generation'), ref('s2', 'persona')], [[]]);
	expect(asked).toEqual(['s1', 's2']);
});

test('an ended job of which the list does not show the outputs is read by itself', async () => {
	const { asked, found } = await read(
		[ref('a'), ref('b')],
		[[generation('a', 'completed'), generation('b')]],
	);
	expect(asked).toEqual(['page 0', 'a']);
	expect(found.get('a')).toMatchObject({ ok: true, value: outputs });
});

test('a list that is refused, or no list, costs nothing but the single reads', async () => {
	for (const answer of [{ status: 403, headers: {}, body: {} }, body({ data: 'none' })]) {
		const { found } = await read([ref('a'), ref('b')], [[]], {}, ({ path }) =>
			path === '/generations' ? answer : undefined,
		);
		expect(statuses(found)).toEqual({ a: 'completed', b: 'completed' });
	}
});

test('reading ends as soon as a job makes the rest superfluous', async () => {
	const isEnough = (job: Resource) => job.status === 'queued';
	const refs = ['a', 'b', 'c'].map((id) => ref(id, 'speech_generation'));
	const special: Answer = ({ path }) => (path === '/jobs/b' ? body(generation('b')) : undefined);
	const single = await read(refs, [], { isEnough }, special);
	expect(single.asked).toEqual(['a', 'b']);
	const listed = await read(
		['a', 'b', 'c'].map((id) => ref(id)),
		[[generation('c')]],
		{ isEnough },
	);
	expect(listed.asked).toEqual(['page 0']);
});

test('what cannot be read is a failure; with a single attempt, what brought no answer is left unread', async () => {
	const refs = [ref('gone', 'persona'), ref('ill', 'persona')];
	const special: Answer = ({ path }) => ({
		status: path.endsWith('gone') ? 404 : 503,
		headers: {},
		body: errorBody('no'),
	});
	const tried = await read(refs, [], { retry: false }, special);
	expect(tried.asked).toEqual(['gone', 'ill']);
	expect(statuses(tried.found)).toEqual({ gone: 'failed' });
	const insisted = await read(refs, [], {}, special);
	expect(insisted.asked.length).toBeGreaterThan(2);
	expect(statuses(insisted.found)).toEqual({ gone: 'failed', ill: 'failed' });
});

test('a service whose list never ends does not block the reading', async () => {
	const refs = Array.from({ length: 6 }, (_, each) => ref(`g${each}`, 'generation'));
	const { asked } = await read(refs, [], {}, ({ path }) =>
		path === '/generations' ? body({ data: [], has_more: true, next_cursor: 'again' }) : undefined,
	);
	expect(asked.filter((one) => one.startsWith('page'))).toHaveLength(3);
});
