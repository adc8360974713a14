import { read } from '../support/sources';

/** A file of tests, and the name of a test in it, as it is written there. */
type Proof = [file: string, name: string];

const RUN = 'test/run/paidOnce.test.ts';
const CONTENT = 'test/run/contentRuns.test.ts';
const WHOLE = 'test/run/wholeRuns.test.ts';
const LOST = 'test/e2e/lostExecutions.test.ts';
const CRASH = 'test/e2e/crash.test.ts';
const SANDBOX = 'test/sandbox/idempotency.test.ts';

const MODEL: Proof = [
	'test/run/executions.model.test.ts',
	'sequences of executions: nothing that was paid for and lost is paid for again',
];
const SAME_KEY: Proof = ['test/run/keys.test.ts', '%s: the key differs by %j, and by nothing else'];
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
const MESSAGE: Proof = [
	CRASH,
	'13: a batch whose n8n is killed gives one message, with the jobs and credits of the ledger, and goes on without paying again',
];

/** What the page says, sentence by sentence and row by row, and the tests that fail where it is not so. */
const SENTENCES: Record<string, Proof[]> = {
	'Every creation costs credits.': [
		[SANDBOX, 'a repeat gives the same answer and nothing is charged twice'],
	],
	'The service keeps an idempotency key for 24 hours and answers a repeated key with the job that it has made.':
		[
			[SANDBOX, 'a key is stored for 24 hours'],
			[SANDBOX, 'a repeat gives the same answer and nothing is charged twice'],
		],
	'The nodes give the same request the same key.': [SAME_KEY],
	'_Avoid Paying Twice_ says which requests are the same:': [SAME_KEY],
	'On Retries (default) | the same item of an execution | same job | pays again (see below) | pays again':
		[REPEATED, ANEW, KILLED],
	'Same Request Within 24 Hours | the same request of the node, files too | same job | same job | same job':
		[
			[RUN, 'are at the same URL in another execution: %s'],
			[CONTENT, 'identical items of a run get the same job (wait: %s)'],
			[
				CONTENT,
				'after one failed job the next one is found by every later run, in other processes too',
			],
			KILLED,
		],
	'Own Key | every request with the same key | same job | same job | same job': [
		['test/run/keys.test.ts', 'a custom key is what the user gave; without keys there is none'],
		[WHOLE, '%s: two identical items, one of them repeated by Retry Execution'],
		KILLED,
	],
	'Off | none | pays again | pays again | pays again': [OFF],
	'_Retry On Fail_: each try goes on with the jobs that the items have.': [
		REPEATED,
		[
			'test/e2e/retries.test.ts',
			'Retry On Fail sends the same keys for existing jobs and recreates only the failed one',
		],
	],
	'_Retry_ of a failed execution under _Executions_, on any worker.': [NEXT, MODEL, GO_ON],
	'A known job is read by its ID, also after more than 24 hours.': [
		[RUN, 'past the 24 hours of a key its job is read instead of asked for'],
	],
	'In the editor, where each click is a new execution: what an earlier click has paid for and lost, because it failed, was stopped, or output a failed row.':
		[MODEL, GO_ON, NEXT],
	'This holds for 24 hours in the process that ran it, also after another round of a loop has failed, with files from another node, if you take out other rows, and with another key of the workspace or spelling of the base URL.':
		[
			['test/run/openRequests.test.ts', '%i ms after it was sent it can be taken over: %s'],
			NEXT,
			MODEL,
			GO_ON,
			[
				LOST,
				'in the editor, a row that was refused is taken out: the others are not paid for again',
			],
		],
	'_Retry_ of an execution that was stopped in production, for 24 hours and in the process that ran it.':
		[NEXT, GO_ON],
	'n8n shows such a retry as failed (_The execution was cancelled manually_), but its output is there.':
		[GO_ON],
	'_Retry_ of a stopped execution on another worker or after a restart, because n8n stores a stopped execution as it was at its start.':
		[NEXT],
	'So is what the node had output before the _Stop_, if another execution in production has come to the node between that output and the _Stop_.':
		[NEXT],
	'A new execution in production, also after a failed row (_On Error: Continue_).': [ANEW, NEXT],
	'The row names its job; _MediaGen Job: Get_ gets it.': [
		['test/run/runner.test.ts', 'a key that may not read what it has made: the job is named'],
		['test/e2e/nodes.test.ts', 'gives whatever the id identifies, as the service has it'],
	],
	'A sub-workflow that its parent calls again: each call is a new execution.': [NEXT, ANEW],
	"_Retry_ of the sub-workflow's own execution pays once.": [GO_ON],
	'In the editor, what the node has output well: the next click makes new media.': [
		NEXT,
		[LOST, 'in the editor, what was output well is made anew by the next click'],
	],
	'A request that you change.': [
		[RUN, 'a request that was changed before Retry Execution is another one'],
	],
	'An expression that gives another value each time, such as `$now`, is no change in a retry, but is another request in a new execution.':
		[[RUN, 'a request that reads differently each time is read in a retried execution'], SAME_KEY],
	'One of two equal rows with lost answers, if you take out the other.': [
		[RUN, 'of two equal rows with lost answers, the one that is left may be the one without a job'],
	],
	'Identical items, rounds of a loop and executions share one job, in all processes, for 24 hours from the first try.':
		[
			[CONTENT, 'identical items of a run get the same job (wait: %s)'],
			[
				CONTENT,
				'after one failed job the next one is found by every later run, in other processes too',
			],
			[CONTENT, 'a day after its first try a content is paid for again'],
			MODEL,
		],
	'If the job had already failed when a run first reads it, the next key is tried.': [
		[
			CONTENT,
			'a job that fails ends the item with one charge, and after %i of them a run makes one',
		],
	],
	'A run makes at most three jobs for an item.': [
		[
			CONTENT,
			'one that fails at once is made twice more in the run, under the other keys, and then ends it',
		],
	],
	'A job that fails while the run waits for it ends the item.': [
		[
			CONTENT,
			'a job that fails ends the item with one charge, and after %i of them a run makes one',
		],
	],
	'After two failed jobs or a 402, the key is one of _On Retries_: other executions do not find its job and pay again.':
		[
			[
				CONTENT,
				'a job that fails ends the item with one charge, and after %i of them a run makes one',
			],
			[
				CONTENT,
				'after a 402, at a service that %s, the run asks once more under the key of its execution, and the next one is paid for',
			],
		],
	'An item whose key was used for another request of the execution is not sent.': [
		[RUN, 'items of one node that ask for different things are refused, in rounds of a loop too'],
		[RUN, 'a changed request is refused once something was made under it'],
	],
	'The key of a failed job gives that job again.': [
		[WHOLE, 'custom: a failed job that the key gives again'],
	],
	'There is no key: each try of the node pays again for all its items.': [OFF],
	'After a lost answer nothing is sent again in the same try.': [OFF],
	'A request whose answer was lost is sent again under its key, several times and by the next try of the node.':
		[
			[
				RUN,
				'lost answers are repeated under the same key, several times and by the next try of the node',
			],
		],
	'In a retry after 24 hours, or of a request that you have changed, nothing is sent: the error says that a job may exist and where to look.':
		[
			[
				RUN,
				'an open outcome that the key can no longer settle (%s) is told before anything is paid',
			],
		],
	'If you retry the execution after that, it pays.': [
		[RUN, 'an open outcome that the key can no longer settle (%s) is told before anything is paid'],
	],
	'A changed request in a new execution pays at once.': [
		['test/run/openRequests.test.ts', 'another content takes nothing over'],
	],
	'n8n saves what a node remembers only when the node has ended.': [KILLED],
	'So start the workflow again; what it pays for is in the table.': [KILLED],
	'_MediaGen: Get Many_ lists the jobs of the crashed execution.': [MESSAGE],
	'Example 8 is a batch that continues after a crash without paying again.': [MESSAGE],
	'Example 13, as its error workflow, tells you of the crash and the newest jobs, unless n8n was killed between two nodes.':
		[MESSAGE],
	'`test/docs/paidOnce.test.ts` names the test of every sentence.': [
		[
			'test/docs/paidOnce.test.ts',
			'every sentence of docs/paid-once.md has its tests, and no other is listed',
		],
	],
};

/** What is no sentence: nothing, a heading, a table down to its line of dashes. */
const isOther = (block: string) =>
	/^$|^#|^\*\*.*\*\*$|^\| ?Avoid Paying Twice|^\| ?---/.test(block);

/** What the page says, without links and bold: its sentences, and the rows of its table. */
function sentencesIn(page: string): string[] {
	const blocks = page.split(/\n(?=\n|- |\|)/).map((block) => block.replace(/\s+/g, ' ').trim());
	return blocks
		.filter((block) => !isOther(block))
		.flatMap((block) => {
			const text = block.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('**', '');
			return text.startsWith('|') ? [text.slice(2, -2)] : text.replace(/^- /, '').split(/(?<=\.) /);
		});
}

test('every sentence of docs/paid-once.md has its tests, and no other is listed', () => {
	expect(sentencesIn(read('docs/paid-once.md'))).toEqual(Object.keys(SENTENCES));
});

test.each(Object.entries(SENTENCES))('%s', (_, proofs) => {
	expect(proofs).not.toEqual([]);
	expect(proofs.filter(([file, name]) => !read(file).includes(name))).toEqual([]);
});
