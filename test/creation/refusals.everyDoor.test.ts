/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type { INodeExecutionData } from 'n8n-workflow';
import { Readable } from 'stream';
import { MediaGenAgentRun } from '../../nodes/AgentRun/MediaGenAgentRun.node';
import { MediaGenPersona } from '../../nodes/Persona/MediaGenPersona.node';
import { MediaGenSpeech } from '../../nodes/Speech/MediaGenSpeech.node';
import type { ApiRequest, SendResult } from '../../src/base/types';
import { answer, errorBody, LOST } from '../model/answers';
import { DECIDED } from '../support/askAgain';
import { byId, clock, ended, setUp, type Part } from '../support/serviceRun';

jest.mock('../../src/base/clock', () => jest.requireActual('../support/virtualTime'));

/*
 * With On Error: Continue no failure ends a row that would not have failed: whatever the service refuses, or
 * does not answer, each row that it would take is made. And what certainly fails is not asked for again and
 * again.
 */

const MINUTE = 60_000;
const ROWS = 12;
const rowNumbers = Array.from({ length: ROWS }, (_, row) => row);
/** Of these rows, the first ones of each kind and key come first. */
const kindOf = (row: number) => (row % 4 < 2 ? 'a' : 'b');

const uuid = (row: number) => `00000000-0000-4000-8000-${String(row).padStart(12, '0')}`;

const png = (row: number) =>
	Buffer.from(`\u0089PNG\r\n\u001a\n${row}`, 'latin1').toString('base64');

/** A way in which a row goes out. */
interface Door extends Pick<Part, 'node' | 'given' | 'own'> {
	/** Whether its rows are of two kinds; otherwise a run of it has one. */
	hasKinds: boolean;
	/** Whether a request is the one that fails. */
	fails: (request: ApiRequest) => boolean;
	/** The answer to what does not fail. */
	made: (request: ApiRequest, row: number) => SendResult;
	/** Whether a row does not need what fails. */
	isFree?: (row: number) => boolean;
	creates: boolean;
	charges?: boolean;
}

const done = { status: 'completed', estimated_credits: 1 };
const isPost = ({ method }: ApiRequest) => method === 'POST';
const speechModels = { a: 'service/speech-lite', b: 'vendor/partner/speech-2.8-turbo' };

const DOORS: Record<string, Door> = {
	generation: {
		own: (row) => ({ model: byId(`model-${kindOf(row)}`), prompt: `row ${row}.` }),
		hasKinds: true,
		fails: isPost,
		made: (_, row) => answer(202, { id: `gen_${row}`, object: 'generation', ...done, outputs: [] }),
		creates: true,
		charges: true,
	},
	'a speech in parts': {
		node: new MediaGenSpeech(),
		given: { resource: 'speech', operation: 'create' },
		own: (row) => ({
			model: byId(speechModels[kindOf(row)]),
			voice: byId(`voice ${row}`),
			text: `Here is row ${row}. `.repeat(400),
			options: { blockLength: 100 },
		}),
		hasKinds: true,
		fails: isPost,
		made: (_, row) => answer(202, { id: `speech_${row}`, object: 'speech_generation', ...done }),
		creates: true,
		charges: true,
	},
	upload: {
		given: { model: byId('m') },
		own: (row) => ({
			prompt: `row ${row}.`,
			...(kindOf(row) === 'a' && { input: { image_refs: 'binary:file' } }),
		}),
		hasKinds: true,
		fails: ({ path }) => path === '/files',
		isFree: (row) => kindOf(row) === 'b',
		made: ({ path }, row) =>
			path === '/files'
				? answer(201, {
						upload_url: `https://files.example/put/${row}`,
						url: 'https://f.example/a',
					})
				: answer(202, { id: `gen_${row}`, object: 'generation', ...done, outputs: [] }),
		creates: true,
	},
	read: {
		node: new MediaGenPersona(),
		given: { operation: 'get' },
		own: (row) => ({ personaId: byId(uuid(row)) }),
		hasKinds: false,
		fails: () => true,
		made: (_, row) => answer(200, { id: uuid(row), object: 'persona', status: 'ready' }),
		creates: false,
	},
	'an agent run': {
		node: new MediaGenAgentRun(),
		given: { operation: 'create' },
		own: (row) => ({ brief: `row ${row}.` }),
		hasKinds: false,
		fails: isPost,
		made: (_, row) =>
			answer(201, { id: `run_${row}`, object: 'agent_run', status: 'planned', spent_credits: 1 }),
		creates: true,
		charges: true,
	},
};

/** The row that a request belongs to. */
function rowOf({ path, body }: ApiRequest): number {
	const [, inBody] = /row[ _](\d+)/.exec(JSON.stringify(body) ?? '') ?? [];
	return Number(inBody ?? path.split('-').at(-1));
}

/** Who meets a failure: one row, those of a kind, or those with a key. */
type Who = 'row' | 'kind' | 'key';

const refused = (status: number) => () => answer(status, errorBody('No'));

/** What is about the key is the answer to whatever is asked, from the first row on. */
const OF_KEY = { 401: refused(401), 407: refused(407), 511: refused(511) };

/** What else may happen, and who may meet it, as far as the service would say that of them. */
const CAUSES: Record<string, [happens: () => SendResult, ...who: Who[]]> = {
	400: [refused(400), 'row', 'kind', 'key'],
	402: [refused(402), 'kind', 'key'],
	403: [refused(403), 'row', 'kind', 'key'],
	429: [refused(429), 'kind', 'key'],
	409: [refused(409), 'row', 'kind', 'key'],
	503: [refused(503), 'row', 'kind', 'key'],
	'no answer': [() => LOST, 'row', 'kind', 'key'],
	'no connection': [
		() => ({ noResponse: 'ECONNREFUSED', unsent: 'connection' }),
		'row',
		'kind',
		'key',
	],
	'a page': [() => answer(404, '<html>Not found</html>'), 'row', 'kind', 'key'],
	'an unusable success': [() => answer(201, 'Welcome'), 'row', 'kind', 'key'],
};

/**
 * The rows that meet it. The first ones are made, so that their price is known: without it, a limit holds
 * back what comes after a request of unknown outcome.
 */
const MET: Record<Who, (row: number) => boolean> = {
	row: (row) => row === 4,
	kind: (row) => row >= 4 && kindOf(row) === 'a',
	key: (row) => row >= 4 && row % 2 === 0,
};

interface Pace {
	options?: object;
	requestOptions?: object;
}

const WAIT_TIMEOUT = 5;

/** How the rows begin. */
const PACES: Record<string, Pace> = {
	'all at once': {},
	'one after the other': {
		requestOptions: { batching: { batch: { batchSize: 1, batchInterval: 7 * MINUTE } } },
	},
	'in turn, under a limit': { options: { maxCredits: 1_000_000 } },
};

let runs = 0;

/** A run whose rows go out by a door. @returns the rows that were made, and how long it took */
async function runOf(
	{ node, given, own, creates, made }: Door,
	{ options, requestOptions }: Pace,
	hasTwoKeys: boolean,
	happens: (request: ApiRequest, row: number) => SendResult | undefined,
) {
	runs += 1;
	const t = setUp({
		...(node && { node }),
		items: rowNumbers.map((row): INodeExecutionData => {
			const file = { data: png(row), mimeType: 'image/png', fileName: `row_${row}.png` };
			return { json: {}, binary: { file } };
		}),
		given: { downloadOutputs: false, ...given, requestOptions },
		own: (row) => {
			const ofRow = own?.(row);
			if (!creates) return ofRow ?? {};
			const set = { ...(ofRow?.options as object | undefined), ...options };
			return { ...ofRow, options: { ...set, waitTimeout: WAIT_TIMEOUT } };
		},
		continueOnFail: true,
		credential: { requestsPerMinute: 60_000, concurrentJobs: 3 },
		...(hasTwoKeys && { keyOf: (row) => `key-${row % 2}-of-run-${runs}-of-this-test` }),
		answers: async (request) => {
			await clock.sleep(100);
			const row = rowOf(request);
			// Such as the list of generations, which is read for prices.
			if (Number.isNaN(row)) return answer(200, { object: 'list', data: [] });
			return happens(request, row) ?? made(request, row);
		},
	});
	const began = clock.monotonic();
	const { items } = await ended(t.run());
	const good = items.filter(({ json }) => json.error === undefined);
	const rows = new Set(good.map(({ pairedItem }) => (pairedItem as { item: number }).item));
	return { rows: [...rows], minutes: (clock.monotonic() - began) / MINUTE };
}

describe.each(Object.entries(PACES))('%s', (_pace, pace) => {
	/** The waits of rows that fail do not add up. */
	const most = pace.requestOptions ? Infinity : 3 * WAIT_TIMEOUT + 1;

	// What creates nothing has no limit.
	const doors = Object.entries(DOORS).filter(([, { creates }]) => creates || !pace.options);
	describe.each(doors)('%s', (_door, door) => {
		test.each(Object.entries(OF_KEY))(
			'%s ends the rows of its key only',
			async (_name, happens) => {
				const { rows, minutes } = await runOf(door, pace, true, (_, row) =>
					row % 2 === 0 ? happens() : undefined,
				);
				expect(rows).toEqual(rowNumbers.filter((row) => row % 2 !== 0));
				expect(minutes).toBeLessThan(most);
			},
		);

		const cases = Object.entries(CAUSES).flatMap(([name, [happens, ...all]]) => {
			const isPossible = name !== '402' || door.charges;
			const ofDoor = all.filter((who) => isPossible && (who !== 'kind' || door.hasKinds));
			return ofDoor.map((who) => [name, who, happens] as const);
		});

		test.each(cases)('%s for one %s ends no other row', async (_name, who, happens) => {
			const { rows, minutes } = await runOf(door, pace, who === 'key', (request, row) =>
				MET[who](row) && door.fails(request) ? happens() : undefined,
			);
			expect(rows).toEqual(rowNumbers.filter((row) => !MET[who](row) || door.isFree?.(row)));
			expect(minutes).toBeLessThan(most);
		});
	});
});

describe('what could not be read for one row is read again for the next', () => {
	const batching = { batch: { batchSize: 1, batchInterval: 7 * MINUTE } };
	const shared: Part = {
		json: [{}, {}, {}],
		own: (row) => ({ prompt: `row ${row}.` }),
		given: { downloadOutputs: false, requestOptions: { batching } },
		continueOnFail: true,
	};
	const failed = async (part: Part) => {
		const { items } = await ended(setUp({ ...shared, ...part }).run());
		return items.map(({ json }) => json.error !== undefined);
	};

	test('the list of models', async () => {
		const began = clock.monotonic();
		const model = { id: 'm', object: 'model' };
		const answers = ({ path }: ApiRequest) => {
			if (path !== '/models') return undefined;
			const isAway = clock.monotonic() - began < 5 * MINUTE;
			return isAway ? answer(503) : answer(200, { object: 'list', data: [model] });
		};
		expect(await failed({ answers })).toEqual([true, false, false]);
	});

	test('a file that n8n stores', async () => {
		let asked = 0;
		const getBinaryStream = async () => {
			asked += 1;
			if (asked === 1) throw new Error('The storage is busy');
			return Readable.from([Buffer.from(png(0), 'base64')]);
		};
		const file = { id: 'file-1', data: 's3', mimeType: 'image/png', fileName: 'row_0.png' };
		const rows = await failed({
			items: rowNumbers.slice(0, 3).map(() => ({ json: {}, binary: { file } })),
			own: (row) => ({
				model: byId('m'),
				prompt: `row ${row}.`,
				input: { image_refs: 'binary:file' },
			}),
			helpers: { getBinaryStream },
			answers: ({ path }) =>
				path === '/files'
					? answer(201, { upload_url: 'https://files.example/put', url: 'https://f.example/a' })
					: undefined,
		});
		expect(rows).toEqual([true, false, false]);
	});
});

test('a text of many parts whose files are at a storage that is away ends no other row', async () => {
	let made = 0;
	const t = setUp({
		node: new MediaGenSpeech(),
		json: rowNumbers.map(() => ({})),
		given: {
			resource: 'speech',
			operation: 'create',
			model: byId('service/speech-lite'),
			voice: byId('v'),
			options: { blockLength: 100 },
			requestOptions: { batching: { batch: { batchSize: 1, batchInterval: 60 * MINUTE } } },
		},
		own: (row) => ({ text: row === 0 ? 'Here is row 0. '.repeat(1_200) : `Row ${row}.` }),
		continueOnFail: true,
		async storage() {
			if (clock.monotonic() - began > 30 * MINUTE) return;
			await clock.sleep(2 * MINUTE);
			throw Object.assign(new Error('timeout'), { code: 'ECONNABORTED' });
		},
		answers: ({ method }) => {
			if (method !== 'POST') return undefined;
			made += 1;
			const output = { url: `https://media.example/${made}.png` };
			return answer(202, { id: `speech_${made}`, object: 'speech_generation', ...done, output });
		},
	});
	const began = clock.monotonic();
	const { items } = await ended(t.run());
	expect(items.map(({ json }) => json.error !== undefined)).toEqual(
		rowNumbers.map((row) => row === 0),
	);
});

describe('what may be paid for already is delivered, whatever is refused to another row', () => {
	const refusals: Array<[status: number | 'silence', size: number]> = [
		[402, ROWS],
		[402, 1],
		[403, ROWS],
		[429, 3],
		['silence', 3],
	];

	const fails = (status: number | 'silence') =>
		status === 'silence' ? LOST : answer(status, errorBody('No'));

	/** A run that is asked for again, whose first rows are refused: which rows it delivers then. */
	async function secondTry(
		way: keyof typeof DECIDED,
		status: number | 'silence',
		size: number,
		first: (request: ApiRequest) => SendResult,
	) {
		let tries = 1;
		const t = setUp({
			json: rowNumbers.map(() => ({})),
			given: { model: byId('m'), downloadOutputs: false },
			own: (row) => ({ prompt: `row ${row}.`, options: { waitTimeout: 1 } }),
			continueOnFail: true,
			credential: { requestsPerMinute: 60_000, concurrentJobs: 20 },
			answers: async (request) => {
				await clock.sleep(100);
				const row = rowOf(request);
				if (Number.isNaN(row)) return answer(200, { object: 'list', data: [] });
				if (isPost(request) && row < 3) return fails(tries === 1 ? 400 : status);
				if (tries === 1) return first(request);
				return answer(200, { id: `gen-${row}`, object: 'generation', ...done, outputs: [] });
			},
		});
		const nodeMemory = {};
		const ofTry = () => ({
			...DECIDED[way]?.(tries, nodeMemory),
			...(tries === 1 && { nodeMemory }),
			workflowId: `asked again ${way} ${status} ${size} ${first.name}`,
		});
		await ended(t.run(ofTry()));
		tries = 2;
		await clock.pass(1_000);
		const batching = { batch: { batchSize: size, batchInterval: 7 * MINUTE } };
		const { items } = await ended(t.run(ofTry(), { requestOptions: { batching } }));
		const good = items.filter(({ json }) => json.error === undefined);
		return good.map(({ pairedItem }) => (pairedItem as { item: number }).item);
	}

	const others = rowNumbers.slice(3);

	describe.each(Object.keys(DECIDED))('%s', (way) => {
		test.each(refusals)('jobs that are known, after %s, %i at a time', async (status, size) => {
			const queued = (request: ApiRequest) => {
				const id = `gen-${rowOf(request)}`;
				return answer(202, { id, object: 'generation', status: 'queued' });
			};
			expect(await secondTry(way, status, size, queued)).toEqual(others);
		});

		test.each(refusals)('answers that were lost, after %s, %i at a time', async (status, size) => {
			const lost = () => LOST;
			expect(await secondTry(way, status, size, lost)).toEqual(others);
		});
	});
});

test('jobs that may not be read say nothing of what is made of another kind', async () => {
	const t = setUp({
		json: Array.from({ length: 20 }, () => ({})),
		given: {
			downloadOutputs: false,
			requestOptions: { batching: { batch: { batchSize: 19, batchInterval: 20 * MINUTE } } },
		},
		own: (row) => ({
			model: byId(row < 19 ? 'm' : 'other'),
			prompt: `row ${row}.`,
			waitForCompletion: row < 19,
		}),
		continueOnFail: true,
		credential: { requestsPerMinute: 60_000, concurrentJobs: 20 },
		answers: async (request) => {
			await clock.sleep(100);
			if (!isPost(request)) return answer(403, errorBody('No'));
			const id = `gen-${rowOf(request)}`;
			return answer(202, { id, object: 'generation', status: 'queued' });
		},
	});
	const { items } = await ended(t.run());
	expect(items.map(({ json }) => json.error !== undefined)).toEqual(
		items.map((_, row) => row < 19),
	);
});

test.each([402, 403])('rows that are not sent after %i wait for no portion', async (status) => {
	const t = setUp({
		json: Array.from({ length: 60 }, () => ({})),
		given: {
			model: byId('m'),
			downloadOutputs: false,
			requestOptions: { batching: { batch: { batchSize: 1, batchInterval: 7 * MINUTE } } },
		},
		own: (row) => ({ prompt: `row ${row}.` }),
		continueOnFail: true,
		answers: (request) => (isPost(request) ? answer(status, errorBody('No')) : undefined),
	});
	const began = clock.monotonic();
	const { items } = await ended(t.run());
	expect(items.every(({ json }) => json.error !== undefined)).toBe(true);
	expect(clock.monotonic() - began).toBeLessThan(4 * 7 * MINUTE);
});
