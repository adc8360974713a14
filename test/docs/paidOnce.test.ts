import { provesEachSentence, type Proof } from '../support/sentences';

const OTHER_WORKSPACE = 'test/creation/idempotency/otherWorkspace.test.ts';
const RUN = 'test/creation/idempotency/paidOnce.test.ts';
const CONTENT = 'test/creation/idempotency/idempotency.sameRequest.test.ts';
const WHOLE = 'test/n8n/runOperation.wholeRuns.test.ts';
const ORDER = 'test/creation/idempotency/idempotency.oneOrder.test.ts';
const TOOL = 'test/n8n/tool.test.ts';
const NAMES = 'test/creation/idempotency/idempotency.test.ts';
const LOST = 'test/e2e/lostExecutions.test.ts';
const CRASH = 'test/e2e/crash.test.ts';
const SANDBOX = 'test/sandbox/idempotency.test.ts';

const MODEL: Proof = [
	'test/creation/idempotency/lostRequests.model.test.ts',
	'sequences of executions: nothing that was paid for and lost is paid for again',
];
const PAIRS: Proof = [
	'test/creation/creation.answerPairs.model.test.ts',
	'%s, and then any answer',
];
const SAME_KEY: Proof = [NAMES, '%s: the key differs by %j, and by nothing else'];
const GO_ON: Proof = [LOST, '%s, %s: the user goes on, and nothing is paid for twice'];
const KILLED: Proof = [
	CRASH,
	'a workflow run again after n8n was killed in the middle of a wait pays for what its mode says',
];
const REPEATED: Proof = [
	RUN,
	'a run of the node again, in this execution or a retried one, gets the same job',
];
const ANEW: Proof = [LOST, 'a further execution %s takes nothing of one that has failed'];
const NEXT: Proof = [RUN, 'executions that ask for the same: %j pay %i times'];
const OFF: Proof = [
	RUN,
	'Off: without a key nothing is sent again in a try, and each try of the node pays again',
];
const ROUND: Proof = [
	ORDER,
	'a row that failed and comes back in another round goes on with its job',
];
/** Each cell of the table. */
const CELLS: Proof = ['test/e2e/paidOnceTable.test.ts', '%s, %s: %s'];
const SAME: Proof = [CONTENT, 'identical items of a run get the same job (wait: %s)'];
const OWN: Proof = [WHOLE, '%s: two identical items, one of them repeated by Retry Execution'];
const MESSAGE: Proof = [
	CRASH,
	'13: a batch whose n8n is killed gives one message, with the jobs and credits of the ledger, and goes on without paying again',
];

const GETS_IT = 'gets it | gets it | gets it | pays';
const HERE = 'gets it in the same process | gets it | gets it | pays';
const NEW_ORDER = 'pays | gets it | gets it | pays';

/** An open outcome that can be settled no more: the request was changed, or its key has expired. */
const TOLD: Proof = [
	'test/creation/idempotency/paidOnce.test.ts',
	'an open outcome that the key can no longer settle (%s) is told before anything is paid',
];

/** What the page says, sentence by sentence and row by row, and the tests that fail where it is not so. */
const SENTENCES: Record<string, Proof[]> = {
	'Whoever asks again for what was paid for and not delivered gets that.': [MODEL, PAIRS],
	'A new order pays.': [MODEL],
	[`another try of the node (_Retry On Fail_) | ${GETS_IT}`]: [
		CELLS,
		REPEATED,
		OFF,
		[
			'test/e2e/retries.test.ts',
			'Retry On Fail sends the same keys for existing jobs and recreates only the failed one',
		],
	],
	[`another round of the same execution, after a failed row | ${GETS_IT}`]: [CELLS, ROUND],
	'an AI agent that repeats a call which has not ended | gets it | gets it | gets it | gets it': [
		CELLS,
		[
			TOOL,
			'answers that are lost do not hold up the call, nor is the repeat paid for again, also while the first still runs',
		],
	],
	[`_Retry_ of a failed execution, however often | ${GETS_IT}`]: [CELLS, NEXT, MODEL, GO_ON],
	[`_Retry_ of a stopped execution, however often | ${HERE}`]: [
		CELLS,
		NEXT,
		MODEL,
		GO_ON,
		[
			'test/creation/idempotency/lostRequests.test.ts',
			'retries of one order all find what it has paid for',
		],
	],
	[`the next click in the editor, after an error, a stop or a failed row | ${HERE}`]: [
		CELLS,
		NEXT,
		MODEL,
		GO_ON,
		[LOST, 'in the editor, a row that was refused is taken out: the others are not paid for again'],
	],
	[`a click, a round or a call after a good one | ${NEW_ORDER}`]: [
		CELLS,
		NEXT,
		SAME,
		OWN,
		[ORDER, 'one that has ended well is another order'],
		[LOST, 'in the editor, what was output well is made anew by the next click'],
	],
	[`another execution in production, or another call of a sub-workflow | ${NEW_ORDER}`]: [
		CELLS,
		ANEW,
		NEXT,
		SAME,
		OWN,
	],
	'In the same process: n8n has not been started again since, and in queue mode the same worker goes on.':
		[NEXT],
	'Otherwise it pays.': [NEXT],
	'The same request is the same content: model, prompt, all parameters, files by their bytes.': [
		SAME_KEY,
		[RUN, 'are at the same URL in another execution: %s'],
	],
	'With _Own Key_ it is the key.': [
		[NAMES, 'a custom key is what the user gave; without keys there is none'],
	],
	'_Same Request_ counts per node.': [SAME_KEY],
	'A service may keep a refusal for lack of credits (402): what _Same Request_ makes after it, other executions get in the same process only.':
		[
			[
				CONTENT,
				'where a 402 is kept for a key, what was paid after a top-up is given again in the same process only',
			],
		],
	'_Same in the Editor_ is _Same Request_ in the editor and _On Retries_ in production.': [
		[ORDER, 'Same in the Editor: the same media in the editor, another order in production'],
	],
	'Each request but those of _Off_ goes out under an idempotency key, which the service keeps for 24 hours.':
		[
			SAME_KEY,
			[SANDBOX, 'a key is stored for 24 hours'],
			[SANDBOX, 'a repeat gives the same answer and nothing is charged twice'],
		],
	'A job that is known is read by its ID, also later.': [
		[RUN, 'past the 24 hours of a key its job is read instead of asked for'],
	],
	'If the service does not know the job, or the answer was lost and since then the API key or the request was changed, or there was no key (_Off_ until then), an error says so first.':
		[
			[
				'test/creation/idempotency/switchedOn.test.ts',
				'after a change from Off to %s: the user is told, and then a new one is paid for, under a key',
			],
			[
				OTHER_WORKSPACE,
				'with a key of another workspace: the user is told of the job, and then a new one is made',
			],
			[
				OTHER_WORKSPACE,
				'where the answer was lost, the user is told before it is sent with another API key',
			],
			TOLD,
		],
	'The next execution may pay.': [TOLD],
	'A job that has failed is no delivery: whoever asks again gets a new one.': [
		NEXT,
		[
			ORDER,
			'earlier failures lead to the next key, however many there were, and all share what comes of it',
		],
	],
	'With _Own Key_ the key of a failed job gives that job again, and a changed request needs another key.':
		[
			[WHOLE, 'custom: a failed job that the key gives again'],
			[RUN, 'items of one node that ask for different things are refused, in rounds of a loop too'],
			[RUN, 'a changed request is refused once something was made under it'],
		],
	'A request whose answer was lost is sent again under its key as long as _Wait Timeout_ lasts, and by whoever asks again.':
		[
			[
				RUN,
				'lost answers are repeated under the same key, ever more rarely as long as Wait Timeout lasts, and by the next try of the node',
			],
		],
	'Once its key has expired, the error says that a job may exist, and the next retry pays.': [
		[RUN, 'an open outcome that the key can no longer settle (%s) is told before anything is paid'],
	],
	'n8n still offers to retry a failed execution after it was retried.': [CELLS],
	'If its retries were refused before one of them got it, a further _Retry_ of the first gets it in the same process.':
		[
			CELLS,
			MODEL,
			[
				'test/creation/idempotency/lostRequests.retried.test.ts',
				'a failed execution is retried again after %s',
			],
		],
	'n8n 2.41 shows the _Retry_ of a stopped execution as an error, also if all of its rows were made.':
		[GO_ON],
	'After _Debug in editor_ a click gets what the production execution has lost.': [NEXT],
	'Start the workflow again: it is another execution, and the table says what it pays for.': [
		KILLED,
	],
	"So is n8n's _Retry_ of a crashed execution, which begins anew.": [
		[CRASH, "n8n's Retry of a crashed execution begins anew, and pays for what its mode says"],
	],
	'_MediaGen: Get Many_ lists the jobs of the crashed execution.': [MESSAGE],
	'Example 8 is a batch that continues after a crash without paying again, example 13 tells you of the crash and the newest jobs.':
		[MESSAGE],
};

provesEachSentence('docs/paid-once.md', SENTENCES);
