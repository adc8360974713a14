import { provesEachSentence, type Proof } from '../support/sentences';

const CLIENT = 'test/transport/client.test.ts';
const RETRIES = 'test/transport/retries.test.ts';
const LIMITER = 'test/transport/sharing.requests.test.ts';
const SLOTS = 'test/transport/jobSlots.test.ts';
const WIRE = 'test/wire/answers.test.ts';
const CREATION = 'test/creation/creation.test.ts';
const OUTAGE = 'test/creation/run.outage.test.ts';
const EVERY_DOOR = 'test/creation/refusals.everyDoor.test.ts';
const STORAGE = 'test/creation/run.silentStorage.test.ts';
const TOOL = 'test/n8n/tool.test.ts';
const CREDENTIAL = 'test/transport/credential.test.ts';
const WORKSPACE = 'test/transport/workspace.test.ts';

/** How often and how long, with a row for each of: lost, two 409, unreachable, a page, 429, a refusal. */
const TRIED: Proof = [CLIENT, 'a request is tried under its key ever more rarely: %s'];
const NO_SLOT: Proof = [
	SLOTS,
	'that others keep busy ends after its timeout of %i minutes, and says who does',
];
const REFUSED: Proof = [
	CREATION,
	'a creation that alone is refused with 429 ends too, while others get their slots',
];
const LOST: Proof = [
	'test/creation/idempotency/paidOnce.test.ts',
	'lost answers are repeated under the same key, ever more rarely as long as Wait Timeout lasts, and by the next try of the node',
];
const DEFAULTS: Proof = [
	CREDENTIAL,
	'the limits are those of the credential, or the defaults if it has none that are usable',
];
const STATUSES: Proof = [
	'test/transport/statuses.test.ts',
	'why the same request is tried again, by status: as the service says it, and as a page',
];
const UNREACHABLE: Proof = [WIRE, 'what no connection was made for: also without a key'];

/** What the page says, sentence by sentence and row by row, and the tests that fail where it is not so. */
const SENTENCES: Record<string, Proof[]> = {
	'A plan limits the requests per minute (60 by default) and the media jobs at the same time (5 by default).':
		[DEFAULTS],
	'Enter the numbers of your plan in the credential: all nodes of an n8n process with one API key keep to them together.':
		[
			[WORKSPACE, 'credentials with one base URL and key share a workspace'],
			[WORKSPACE, 'a limit that is changed in its credential counts from then on, up or down'],
		],
	'What is over a limit waits and goes on by itself.': [
		[LIMITER, 'requests up to the limit are sent at once, the next one after the window'],
		[SLOTS, 'never more than the limit at a time, and fairness keys take turns'],
	],
	'Requests go out within the limit of a minute.': [
		[
			LIMITER,
			'never more than the limit in any window, whenever between request and response the server counts',
		],
	],
	'Executions take turns, and reading goes before creating.': [
		['test/base/waitQueue.test.ts', 'fairness keys take turns, each in its own order'],
		[LIMITER, 'what reads goes before what creates'],
	],
	'Jobs.': [[SLOTS, 'never more than the limit at a time, and fairness keys take turns']],
	'An image, video or audio takes one of the slots (_Concurrent Jobs_) before it is sent and keeps it until its job has ended.':
		[[SLOTS, 'never more than the limit at a time, and fairness keys take turns']],
	'An agent run that is carried out takes the one slot for agent runs.': [
		[
			SLOTS,
			'an agent run that is carried out has a slot of its own kind, one that is only planned none',
		],
	],
	'Speech, voices, personas and plans take none.': [
		[SLOTS, 'creations that take no slot are not held up by full slots'],
	],
	'Others who use the same workspace, such as a second n8n process or API key, are seen in the list of jobs.':
		[
			[
				SLOTS,
				'a creation waits while own jobs and those of the newest list are as many as the slots',
			],
		],
	'Each takes half of the limits then (queue mode, how well that works).': [
		[
			SLOTS,
			'we use half of the slots, rounded up, until no list of the last minute has shown others',
		],
		[LIMITER, 'a process takes half of the requests, and all of them once the others are gone'],
	],
	'_Wait Timeout_ (30 minutes by default) is the one number.': [
		['test/fields/settings.test.ts', 'what is not set has its default'],
	],
	'It counts separately for each of three waits: for a slot, from the last job of this process that got one; for an answer, from the first request that got none; for the end of a job, from when the node has it, and in a retry anew.':
		[
			[SLOTS, 'begins anew with each accepted job of this process'],
			NO_SLOT,
			LOST,
			[
				'test/creation/run.outage.test.ts',
				'a 429 between requests without an answer does not begin Wait Timeout anew',
			],
			[
				'test/creation/creation.endsInTime.model.test.ts',
				'every item ends in its time, and nothing is left behind',
			],
		],
	'A wait that runs out is an error, which says what is known of the job and its credits.': [
		NO_SLOT,
		LOST,
	],
	'Run it again, and you pay nothing twice.': [LOST],
	'429 for a job that needs a slot | it goes out with the next free slot, or as a try from time to time | _Wait Timeout_':
		[
			REFUSED,
			[CREATION, 'a 429 for the requests of a minute, while no job runs, that %s'],
			[RETRIES, 'what a server asks for counts up to two minutes, if it is usable: %p'],
			[SLOTS, 'one creation is tried whatever the lists show, half as often each time'],
		],
	'429 for anything else | it goes out again ever more rarely, and not before `Retry-After` says so, for up to two minutes | _Wait Timeout_; 5 minutes for what costs nothing':
		[
			TRIED,
			[WIRE, 'after a 429 %s'],
			[RETRIES, 'what a server asks for counts up to two minutes, if it is usable: %p'],
			[WIRE, '429 for ever is given up after five minutes, and says how long to wait'],
		],
	'No answer, 408, 425, 500 or more, or a 409 for a request that is under way: nobody knows what was done | it goes out again under its key, ever more rarely | _Wait Timeout_; 90 seconds for what costs nothing':
		[TRIED, LOST, STATUSES],
	'409 which does not say why, while no answer to an earlier try was lost | it goes out again under its key, then it is final | half a minute':
		[
			TRIED,
			[
				CLIENT,
				'a 409 is repeated under its key for half a minute, or for Wait Timeout after %s, and is final or open then',
			],
			['test/creation/answer.unnamedStatus.test.ts', '%s, %s: each ends its row and nothing else'],
		],
	'Somebody else answers, such as a page with 404: often a wrong address | it goes out again under its key | 8 seconds':
		[TRIED],
	'The service cannot be reached: nothing was done | it goes out again | half a minute': [
		TRIED,
		UNREACHABLE,
	],
	'402 with _Wait for Top-Up_ | every 20 seconds one creation of the workspace tries again | _Credit Wait Timeout_':
		[
			[
				'test/transport/topUpGate.test.ts',
				'no item is given up without a trial of its own, like all others',
			],
			[
				'test/creation/idempotency/idempotency.sameRequest.test.ts',
				'while credits lack, a turn to try takes two requests at most, each under a key of its own',
			],
			[
				'test/transport/topUpGate.test.ts',
				'all go on at the first success of an attempt that was refused before',
			],
			[
				'test/transport/topUpGate.test.ts',
				'a wait of one that was refused ends at its deadline, and any at once when cancelled; no timer is left',
			],
		],
	'A file that is cut off on its way, up or down | it goes again; an upload that stands still for a minute is final | four tries in all':
		[
			[
				'test/files/upload.test.ts',
				'a transfer that fails is tried four times, all at the one address of its key',
			],
			[
				'test/files/upload.test.ts',
				'of which nothing more is taken is given up after a minute, in one try that says so',
			],
			[
				'test/files/transfer.download.test.ts',
				'%s: fetched again, at most four times, and never told with its link',
			],
		],
	'Anything else, also a 409 which says that the key is of another request | it is final | –': [
		TRIED,
		['test/creation/answer.unnamedStatus.test.ts', '%s, %s: each ends its row and nothing else'],
		[WIRE, '%i is final'],
	],
	'A 429 for a slot with `Retry-After` holds up all creations that need such a slot, for up to two minutes.':
		[
			[
				SLOTS,
				'a Retry-After is kept: nothing goes out before, then one, and the others once that is accepted',
			],
		],
	'A creation without a key (_Avoid Paying Twice_: _Off_) whose answer was lost is never sent again; what only reads needs no key.':
		[
			[CLIENT, '%s: a GET is sent again, a POST without a key never'],
			[WIRE, 'without a key, a creation with an answer %s: never'],
			[WIRE, 'whatever only reads and has an answer %s'],
		],
	'A request that meets several of these in turn goes on as long as the longest of them allows.': [
		[CLIENT, 'whoever meets several things in turn goes on as long as the longest allows: %s, %s'],
	],
	'If the requests of two rows in a row are given up, and none was answered since both went out, the service is away: nothing more of the run is sent, with _On Error: Continue_ nothing that would meet the same.':
		[
			[CLIENT, 'two requests given up without an answer are an outage: %s'],
			[
				CLIENT,
				'two requests that fail side by side are no outage, if others are answered meanwhile',
			],
			[EVERY_DOOR, '%s for one %s ends no other row'],
			[
				OUTAGE,
				'a run that meets nothing but %s ends in its time, also where all jobs are known, and goes on with them later',
			],
		],
	'If as many tries in a row as two files have, and not of one row, get no answer from the storage for half a minute, it is away: the same holds, and files that wait are given up.':
		[
			[STORAGE, 'of a run whose jobs are all made, downloads that get no answer take no longer'],
			[STORAGE, 'uploads that get no answer end the run, and nothing is sent'],
			[STORAGE, 'a storage that is restarted ends nothing, though it refuses many tries in a row'],
			[
				EVERY_DOOR,
				'a text of many parts whose files are at a storage that is away ends no other row',
			],
		],
	'A retry fetches the files of the jobs that were made.': [
		[
			STORAGE,
			'downloads that get no answer end the run, and a retry has the files of all that was made',
		],
	],
	'A tool call of an AI agent is answered after 45 seconds, unless you set another _Wait Timeout_, and the same call goes on.':
		[
			[
				TOOL,
				'a job that takes longer is answered in time, and given to the same call however often it comes before the end and once after it',
			],
		],
	'_Stop_ ends every wait at once.': [
		[
			CREATION,
			'a creation that is out ends at once when the execution is cancelled; its answer is heard, and its job has the slot',
		],
		[CLIENT, 'cancelled in the queue or while it waits: nothing further is sent'],
		[
			'test/transport/jobPoller.test.ts',
			'a cancel returns at once with the job, and leaves no timer behind',
		],
	],
};

provesEachSentence('docs/limits.md', SENTENCES);
