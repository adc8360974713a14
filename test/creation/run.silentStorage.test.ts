import { answer } from '../model/answers';
import { byId, clock, ended, setUp, type Part } from '../support/serviceRun';

jest.mock('../../src/base/clock', () => jest.requireActual('../support/virtualTime'));

/* A storage that gives no answer is an outage, as a service is that gives none. */

const ROWS = 200;
const UPLOAD = { upload_url: 'https://files.example/put', url: 'https://files.example/a' };
const png = { data: 'iVBORw0KGgo=', mimeType: 'image/png' };

/** A run of many rows, before a storage that is silent until it is told to answer. */
function rows(more: Part = {}) {
	let isSilent = true;
	const tried: string[] = [];
	const t = setUp({
		service: { requestsPerMinute: 1_000_000, concurrentJobs: 1_000, jobMs: () => 30_000 },
		credential: { requestsPerMinute: 1_000_000, concurrentJobs: 5 },
		json: Array.from({ length: ROWS }, () => ({})),
		given: { model: byId('m') },
		own: (item) => ({ prompt: `no. ${item}` }),
		continueOnFail: true,
		async storage(method) {
			tried.push(method);
			if (!isSilent) return;
			await clock.sleep(120_000);
			throw Object.assign(new Error('timeout of 120000ms exceeded'), { code: 'ECONNABORTED' });
		},
		...more,
	});
	const start = async () => {
		const began = clock.monotonic();
		const { items } = await ended(t.run());
		const texts = items.map(({ json }) => JSON.stringify(json));
		return { items, texts, minutes: (clock.monotonic() - began) / 60_000 };
	};
	const answers = () => {
		isSilent = false;
	};
	return { model: t.model, posts: t.posts, start, answers, tried };
}

test('downloads that get no answer end the run, and a retry has the files of all that was made', async () => {
	const { model, start, answers } = rows();
	const { texts, minutes } = await start();
	expect(minutes).toBeLessThan(20);
	const made = model.jobs.length;
	expect(made).toBeLessThan(ROWS);
	expect(texts.filter((text) => /could not be downloaded/.test(text))).toHaveLength(made);
	for (const { id } of model.jobs)
		expect(texts.filter((text) => text.includes(`"${id}"`))).toHaveLength(1);
	expect(
		texts.filter((text) => /Not sent: the storage of files gave no answer/.test(text)),
	).toHaveLength(ROWS - made);

	answers();
	const { items } = await start();
	expect(items.filter(({ binary }) => binary)).toHaveLength(ROWS);
	expect(model.jobs).toHaveLength(ROWS);
});

test('of a run whose jobs are all made, downloads that get no answer take no longer', async () => {
	const t = rows({ credential: { requestsPerMinute: 1_000_000, concurrentJobs: 1_000 } });
	const { texts, minutes } = await t.start();
	expect(t.model.jobs).toHaveLength(ROWS);
	expect(minutes).toBeLessThan(20);
	expect(texts.join()).toMatch(/could not be downloaded: the storage gives no answer/);
	expect(t.tried.length).toBeLessThan(50);
});

test('uploads that get no answer end the run, and nothing is sent', async () => {
	const t = rows({
		items: Array.from({ length: ROWS }, (_, row) => {
			const data = Buffer.concat([Buffer.from(png.data, 'base64'), Buffer.from(`${row}`)]);
			return { json: {}, binary: { data: { ...png, data: data.toString('base64') } } };
		}),
		answers: ({ path }) => (path === '/files' ? answer(201, UPLOAD) : undefined),
		own: (item) => ({
			prompt: `no. ${item}`,
			input: { image_refs: { __rl: true, mode: 'binary', value: 'data' } },
		}),
	});
	const { texts, minutes } = await t.start();
	expect(minutes).toBeLessThan(20);
	expect(t.model.jobs).toEqual([]);
	expect(
		texts.filter((text) => /could not be uploaded|the storage of files/.test(text)),
	).toHaveLength(ROWS);
});

test('a storage that is restarted ends nothing, though it refuses many tries in a row', async () => {
	let tries = 0;
	const t = rows({
		credential: { requestsPerMinute: 1_000_000, concurrentJobs: 1_000 },
		async storage() {
			tries += 1;
			if (tries <= 40) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
		},
	});
	const { items } = await t.start();
	expect(items.filter(({ binary }) => binary)).toHaveLength(ROWS);
});
