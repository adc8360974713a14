import { caughtBy, type Mutant } from './mutant';

/** Requests a minute, job slots, other clients of the workspace, credits that ran out, waiting for jobs. */
export const limits: Mutant[] = [
	...caughtBy('test/transport/sharing.requests.test.ts', {
		'limits/short-window': {
			why: 'More requests than the limit go out in a minute, and the service refuses with 429.',
			from: 'const WINDOW_MS = MINUTE_MS + 250;',
			to: 'const WINDOW_MS = 55_000;',
		},
		'limits/one-request-too-many': {
			why: 'The last request of each minute is refused.',
			from: 'if (this.used(now) >= limit)',
			to: 'if (this.used(now) > limit)',
		},
		'limits/answer-does-not-count': {
			why: 'A slow request is forgotten before the service forgets it, and the next one is refused.',
			from: 'this.responses.push(this.clock.monotonic());',
			to: 'this.responses.push(this.clock.monotonic() - 5_000);',
		},
		'limits/creations-before-reads': {
			why: 'Jobs that have ended are not looked at as long as there is anything to create: slots stand idle.',
			from: 'return this.reads.size > 0 && !isOverdue ?',
			to: 'return this.reads.size > 0 && this.writes.size === 0 ?',
		},
		'limits/no-cut-beside-others': {
			why: 'Beside another n8n in the same workspace nobody slows down, and both are refused all the time.',
			from: 'if (isRead && sentAt',
			to: 'if (isRead && isFull && sentAt',
		},
	}),
	...caughtBy('test/n8n/entrance.test.ts', {
		'limits/batching-off-is-one-at-a-time': {
			why: 'Who switches Batching off by -1, as n8n says, has a pause of a second before each item.',
			from: '|| size < 0)',
			to: ')',
		},
	}),
	...caughtBy('test/transport/sharing.lists.test.ts', {
		'limits/short-jobs-of-others-forgotten': {
			why: 'Others whose jobs are short are forgotten with each list that misses them, and get no slot.',
			from: 'if (this.ofOthers(running).length > 0) this.lastSeen',
			to: 'this.lastSeen',
		},
		'limits/others-stay-for-a-minute': {
			why: 'Whose neighbour has ended uses half of the slots for another minute.',
			from: 'areAllOurs || haveGone ?',
			to: 'areAllOurs ?',
		},
		'limits/list-is-believed-for-ever': {
			why: 'Where lists are not answered any more, jobs that have long ended hold all slots.',
			from: 'return now < this.thereUntil ?',
			to: 'return now >= this.listedAt ?',
		},
		'limits/old-list-counts': {
			why: 'An answer that came late overwrites a newer one: slots that are free count as taken.',
			from: 'if (at < this.listedAt) return;',
			to: '',
		},
	}),
	...caughtBy('test/transport/jobSlots.test.ts', {
		'limits/hanging-creation-keeps-its-slot': {
			why: 'A creation that hangs for as long as the time limit of the node holds up all others of a small plan.',
			from: 'const HANGS_AFTER_MS = MINUTE_MS;',
			to: 'const HANGS_AFTER_MS = Infinity;',
		},
		'limits/slots-of-others-ignored': {
			why: 'Creations are sent although others use all slots: each is refused, and takes a request of the minute.',
			from: 'Math.min(thereAre, leftByOthers, ourPart)',
			to: 'Math.min(thereAre, ourPart)',
		},
		'limits/no-slot-is-shared': {
			why: 'Whoever came first keeps all slots, and a second n8n in the workspace never gets one.',
			from: 'Math.min(thereAre, leftByOthers, ourPart)',
			to: 'Math.min(thereAre, leftByOthers)',
		},
		'limits/dead-jobs-hold-all-slots': {
			why: 'Five jobs that a list shows for ever hold all slots: 50 jobs of 8 s take over an hour.',
			from: 'if (isBeyondRefusals || isBeyondLists)',
			to: 'if (isBeyondRefusals)',
		},
		'limits/unknown-word-holds-a-slot': {
			why: 'Five jobs that somebody has canceled hold all slots until Wait Timeout.',
			from: 'for (const id of ids) {',
			to: 'for (const id of ids.slice(0, 0)) {',
		},
		'limits/unlisted-jobs-hold-slots': {
			why: 'Where lists fail, the jobs of an execution that was stopped hold up the next one until they are given up.',
			from: 'if (!isFree && now < pool.probeAt) return;',
			to: 'if (!isFree && (pool.abandoned.size > 0 || now < pool.probeAt)) return;',
		},
		'limits/half-a-slot': {
			why: 'Concurrent Jobs of 2.5 runs three jobs, and each third is refused.',
			from: 'Math.max(1, Math.floor(limit))',
			to: 'Math.max(1, limit)',
		},
		'limits/one-job-too-many': {
			why: 'A sixth job is tried while five run, and refused each time.',
			from: '+ this.awaited.size >= this.limit',
			to: '+ this.awaited.size > this.limit',
		},
		'limits/refused-without-a-pause': {
			why: 'A creation is tried again before the time that the service has asked to wait for.',
			from: 'if (now < pool.pausedUntil || ',
			to: 'if (',
		},
		'limits/left-job-frees-its-slot': {
			why: 'A job that an item has stopped waiting for still runs, and the next creation is refused.',
			from: '\t\t\tpool.abandoned.set(id, now);\n',
			to: '',
		},
		'limits/long-batch-gives-up': {
			why: 'The last items of a long batch fail after half an hour, although one job after the other is accepted.',
			from: 'now >= Math.max(since, acceptedAt) + timeoutMs,',
			to: 'now >= since + timeoutMs,',
		},
	}),
	...caughtBy('test/transport/sharing.test.ts', {
		'limits/words-are-not-learned': {
			why: 'A service that calls a running job "processing" refuses most creations, and a batch takes three times as long.',
			from: "if (state === 'good' && this.isGeneration) runningWords.learn(this.job);",
			to: '',
		},
	}),
	...caughtBy('test/transport/topUpGate.test.ts', {
		'limits/top-up-tried-too-often': {
			why: 'Waiting for a top-up takes half of the requests of each minute.',
			from: 'const TRIAL_EVERY_MS = 20_000;',
			to: 'const TRIAL_EVERY_MS = 2_000;',
		},
		'limits/old-trials-all-count': {
			why: 'Without credits, a batch that waits for slots and is stopped lets a hundred rows try at once.',
			from: 'if (wait === this.newestTrial) this.beginNextTrial();',
			to: 'this.beginNextTrial();',
		},
		'limits/one-cheap-job-opens-the-gate': {
			why: 'A cheap job that still fits lets hundreds of dear ones go on, and all of them are refused.',
			from: 'if (!wasRefusedBefore) return this.beginNextTrial();',
			to: '',
		},
	}),
	...caughtBy('test/transport/retries.test.ts', {
		'limits/retry-after-unbounded': {
			why: 'A wrong Retry-After makes a workflow stand still for a day.',
			from: 'const MAX_RETRY_AFTER_MS = 120_000;',
			to: 'const MAX_RETRY_AFTER_MS = 120_000_000;',
		},
	}),
	...caughtBy('test/transport/client.refusedForLong.test.ts', {
		'limits/retry-after-is-all-that-counts': {
			why: 'A service that says Retry-After: 0 each time gets two thousand requests a minute.',
			from: 'const pauseMs = Math.max(hinted ?? 0, backoffMs);',
			to: 'const pauseMs = hinted ?? backoffMs;',
		},
	}),
	...caughtBy('test/wire/answers.test.ts', {
		'limits/retry-after-unheard': {
			why: 'Retry-After never reaches what would obey it: requests go out that are refused again.',
			from: 'headers: headersOf(response.headers),\n\t\t\t\tbody: await',
			to: 'headers: {},\n\t\t\t\tbody: await',
		},
	}),
	...caughtBy('test/n8n/keptWorkspace.test.ts', {
		'limits/long-transfer-loses-its-workspace': {
			why: 'During an upload of more than an hour the next execution gets the slots of the plan a second time.',
			from: 'hasRested && this.underWay === 0 &&',
			to: 'hasRested &&',
		},
	}),
	...caughtBy('test/transport/workspace.test.ts', {
		'limits/fault-in-a-timer-ends-no-wait': {
			why: 'A fault of our own leaves all items waiting for ever, or ends the process of n8n.',
			from: '\t\t\tthis.onFault(fault);\n',
			to: '',
		},
	}),
	...caughtBy('test/base/waitQueue.test.ts', {
		'limits/batch-starves-the-others': {
			why: 'An execution of 500 items makes every other one wait until it has ended.',
			from: '\t\tthis.queues.delete(fairnessKey);\n\t\tthis.queues.set(fairnessKey, queue);\n',
			to: '',
		},
	}),
	...caughtBy('test/transport/jobPoller.test.ts', {
		'limits/fault-in-a-read-ends-no-wait': {
			why: 'A fault of our own leaves an item waiting for ever, or ends the process of n8n.',
			from: '\t\tthis.leave();\n\t\tthis.settle.reject(fault);\n',
			to: '',
		},
		'limits/deadline-without-a-last-look': {
			why: 'A job that has ended shortly before Wait Timeout is reported as not finished.',
			from: 'if (this.readAt < this.deadline && now < this.lastReadUntil) return;',
			to: '',
		},
		'limits/new-job-not-known-yet': {
			why: 'A job that the service does not show for its first second fails the item, although it is paid for.',
			from: 'const MAX_REFUSED = 3;',
			to: 'const MAX_REFUSED = 1;',
		},
		'limits/ended-without-outputs': {
			why: 'A list that shows the end of a job before its outputs gives an item without files.',
			from: '&& isMedia(job) && !lacksOutputs(job)',
			to: '',
		},
		'limits/canceled-job-read-singly-holds-its-slot': {
			why: 'In a plan with one slot, a job that somebody has canceled holds it until Wait Timeout.',
			from: 'if (!runningWords.holdsSlot(job)) others.onJobsWithoutSlot([job.id]);',
			to: '',
		},
		'limits/list-makes-a-job-failed': {
			why: 'A list that is wrong about a job ends its item, and the next try pays again.',
			from: "job.status === 'completed' && isMedia(job)",
			to: "job.status === 'failed' || isMedia(job)",
		},
		'limits/stale-list-is-believed': {
			why: 'A list that shows a job as running for ever makes the item wait until Wait Timeout.',
			from: 'now >= this.deadline || now >= listsDoubtedFrom',
			to: 'now >= this.deadline',
		},
	}),
	...caughtBy('test/transport/jobPoller.test.ts', {
		'limits/reads-take-what-others-have': {
			why: 'Beside another n8n, reads of single jobs use up all requests that are left, and nothing is created.',
			from: 'const { requestsPerMinute } = this.rateLimiter;',
			to: 'const { limit: requestsPerMinute } = this.rateLimiter;',
		},
		'limits/last-reads-give-back': {
			why: 'Each wait that ends at its deadline lets a read out for which the minute has no room.',
			from: 'if (now >= wait.deadline) void wait.read();',
			to: 'if (now >= wait.deadline) void this.readOne(wait, gapMs);',
		},
	}),
	...caughtBy('test/transport/jobWait.due.test.ts', {
		'limits/overdue-job-unwatched': {
			why: 'One lost event makes an item wait for an hour.',
			from: 'if (this.isEndedByEvent && age < eventBy) return eventBy;',
			to: 'if (this.isEndedByEvent) return Math.max(eventBy, age + 3_600_000);',
		},
	}),
	...caughtBy('test/transport/jobWait.due.test.ts', {
		'limits/ended-jobs-seen-late': {
			why: 'Jobs that have ended are seen once the slowest of their kind would have, and slots stand idle.',
			from: 'return idle >= idleMs || !isEndNear;',
			to: 'return !isEndNear;',
		},
		'limits/short-jobs-use-up-the-minute': {
			why: 'Jobs of 5 s are looked at so often that no request is left to create the next ones.',
			from: 'isMinuteShort ? Infinity : ',
			to: '',
		},
	}),
	...caughtBy('test/transport/pages.test.ts', {
		'limits/list-ends-too-early': {
			why: 'Return All gives the first page and says nothing.',
			from: 'if (entries.length >= wanted) return ok(entries.slice(0, wanted));',
			to: 'if (entries.length > 0) return ok(entries.slice(0, wanted));',
		},
	}),
	...caughtBy('test/creation/findOnce.everyDoor.test.ts', {
		'limits/one-broken-reading-ends-all': {
			why: 'What breaks off for the first row, such as the reading of the day, breaks off for all that follow.',
			from: '}, forget);',
			to: '}, () => {});',
		},
	}),
	...caughtBy('test/creation/firstModel.test.ts', {
		'limits/each-item-asks-for-the-model': {
			why: 'A batch in a node as it opens asks for the catalogue once an item, and uses the minute up with that.',
			from: 'findOnce(ofWorkspace, key, send, hasFailed)',
			to: 'send()',
		},
	}),
];
