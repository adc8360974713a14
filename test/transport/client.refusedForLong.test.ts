import { MediaGenAgentRun } from '../../nodes/AgentRun/MediaGenAgentRun.node';
import { MediaGenFile } from '../../nodes/File/MediaGenFile.node';
import { MediaGenJob } from '../../nodes/Job/MediaGenJob.node';
import { MediaGenPersona } from '../../nodes/Persona/MediaGenPersona.node';
import { MediaGenSpeech } from '../../nodes/Speech/MediaGenSpeech.node';
import { MediaGenVoice } from '../../nodes/Voice/MediaGenVoice.node';
import type { ApiRequest } from '../../src/base/types';
import { answer } from '../model/answers';
import { byId, clock, ended, setUp, type Part } from '../support/serviceRun';
import { PICTURE } from '../support/n8nRequest';

jest.mock('../../src/base/clock', () => jest.requireActual('../support/virtualTime'));

/*
 * A service that answers with 429 for minutes gets ever fewer requests, whatever it says in Retry-After: a
 * moment each time must not bring all rows back at once, again and again.
 */

const MINUTE = 60_000;
const ROWS = 20;

const job = { id: 'job_1', object: 'generation', status: 'queued', mode: 'image', model: 'm' };

interface Door extends Part {
	/** The answer to what is not refused. */
	answerTo?: (request: ApiRequest) => object | undefined;
}

const DOORS: Record<string, Door> = {
	'pictures, which take a slot': { given: { model: byId('m') } },
	speech: {
		node: new MediaGenSpeech(),
		given: { operation: 'create', model: byId('service/speech-lite') },
		own: (item) => ({ text: `Text ${item}` }),
	},
	voices: {
		node: new MediaGenVoice(),
		given: { resource: 'customVoice', operation: 'design', description: 'Calm' },
		own: (item) => ({ name: `Voice ${item}` }),
	},
	personas: {
		node: new MediaGenPersona(),
		given: { operation: 'createFromDescription', description: 'A sailor' },
		own: (item) => ({ name: `Persona ${item}` }),
	},
	plans: { node: new MediaGenAgentRun(), own: (item) => ({ brief: `Brief ${item}` }) },
	reviews: {
		node: new MediaGenAgentRun(),
		own: (item) => ({ operation: 'review', agentRunId: `run_${item}` }),
	},
	reads: { node: new MediaGenJob(), own: (item) => ({ jobId: `job_${item}` }) },
	lists: { given: { operation: 'getAll' } },
	waits: {
		given: { model: byId('m') },
		credential: { concurrentJobs: ROWS },
		answerTo: ({ method }) => (method === 'POST' ? job : undefined),
	},
	'files to be sent': { node: new MediaGenFile(), given: { operation: 'upload' } },
};

describe.each(['0', '1', undefined])('Retry-After: %s', (retryAfter) => {
	test.each(Object.entries(DOORS))('%s', async (_name, { answerTo, ...door }) => {
		const at: number[] = [];
		let made = 0;
		const headers: Record<string, string> = {};
		if (retryAfter !== undefined) headers['retry-after'] = retryAfter;
		const binary = {
			data: { data: PICTURE.toString('base64'), mimeType: 'image/png', fileName: 'a.png' },
		};
		const t = setUp({
			own: (item) => ({ prompt: `Picture ${item}` }),
			continueOnFail: true,
			...door,
			credential: { requestsPerMinute: 60_000, ...door.credential },
			answers: (request) => {
				const body = answerTo?.(request);
				if (body !== undefined) {
					made += 1;
					return answer(202, { ...body, id: `job_${made}` });
				}
				at.push(clock.now());
				return answer(429, undefined, headers);
			},
		});
		const items = Array.from({ length: ROWS }, (_, item) => ({ json: { item }, binary }));
		await ended(t.run({ items }));
		const begun = at[0] ?? 0;
		const minutes = [0, 1, 2, 3, 4].map(
			(minute) => at.filter((one) => Math.floor((one - begun) / MINUTE) === minute).length,
		);
		expect({ minutes, most: Math.max(...minutes) < 4 * ROWS }).toMatchObject({ most: true });
		expect(at.length).toBeGreaterThan(1);
	});
});
