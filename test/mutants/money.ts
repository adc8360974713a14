import { caughtBy, type Mutant } from './mutant';

/**
 * Creating and paying: what is sent again, under which key, what counts against Max Credits, what is said of
 * it.
 */
export const money: Mutant[] = [
	...caughtBy('test/creation/idempotency/itemState.test.ts', {
		'money/refusal-frees-an-open-key': {
			why: 'A 400 after a lost answer is taken for proof that nothing was made, and the next try pays again.',
			from: 'if (state.mayBeCarriedOut) return { ...state, isInFlight: false };',
			to: '',
		},
		'money/crash-in-flight-forgotten': {
			why: 'What was under way when n8n crashed counts as never sent once it is sent again: a refusal frees its key.',
			from: 'mayBeCarriedOut = state.mayBeCarriedOut || state.isInFlight',
			to: 'mayBeCarriedOut = state.mayBeCarriedOut',
		},
		'money/key-outlives-the-service': {
			why: 'A lost creation is sent again after a day, when the service has dropped its key and makes a second job.',
			from: 'LIMITS.idempotencyHours * 3_600_000',
			to: 'LIMITS.idempotencyHours * 7_200_000',
		},
		'money/clock-set-back': {
			why: 'After the clock was set back a key does not expire, and an old creation is paid for again.',
			from: 'age < -CLOCK_CORRECTION_MS || ',
			to: '',
		},
		'money/clock-set-back-a-little': {
			why: 'When the clock is set right by a second, a lost creation is taken for expired, and the editor pays for it again.',
			from: 'age < -CLOCK_CORRECTION_MS',
			to: 'age < 0',
		},
		'money/warned-once-pays-at-once': {
			why: 'Retry On Fail takes the place of the user who was warned of a possible second payment.',
			from: 'state.warnedIn !== undefined && state.warnedIn !== execution',
			to: 'state.warnedIn !== undefined',
		},
	}),
	...caughtBy('test/creation/idempotency/paidOnce.test.ts', {
		'money/sent-but-not-noted': {
			why: 'Nothing remembers that a creation is out: after a crash it is made again.',
			from: "recordEvent(memory, { kind: 'sending', key, path, body, now, workspace: workspace.name });",
			to: '',
		},
	}),
	...caughtBy('test/creation/idempotency/paidOnce.test.ts', {
		'money/kept-429-for-ever': {
			why: 'A service keeps a 429 for its key, and each try of the node is refused for as long as it may wait.',
			from: 'if (slotWait.kind === undefined) return true;',
			to: 'if (slotWait.kind === undefined) return false;',
		},
		'money/kept-429-in-each-slot': {
			why: 'A service keeps a 429 for its key, and the row is refused in slot after slot for Wait Timeout.',
			from: '(slotWait.timesThrottled + 1) % REFUSALS_OF_ONE_KEY === 0',
			to: 'false',
		},
		'money/no-key-is-sent-again': {
			why: 'With Avoid Paying Twice off, a lost answer is paid for again and again within one run.',
			from: 'replayable: () => key !== undefined && !hasKeyExpired(item),',
			to: 'replayable: () => true,',
		},
	}),
	...caughtBy('test/creation/idempotency/paidOnce.test.ts', {
		'money/page-means-nothing-done': {
			why: 'A 200 that a proxy has garbled is taken for a refusal, and the job behind it is paid for twice.',
			from: "if (failure.kind === 'badResponse') return { kind: 'outcomeUnknown' };",
			to: "if (failure.kind === 'badResponse') return { kind: 'refused' };",
		},
	}),
	...caughtBy('test/creation/creation.answerPairs.model.test.ts', {
		'money/402-is-asked-for-ever': {
			why: 'Under Wait for Top-Up, a 402 for what is thought to be paid for is asked again at once, 60 times a minute for a day.',
			from: 'so what it leads to is not known to be free any more.\n\tforgetPaidKey(progress);',
			to: '',
		},
	}),
	...caughtBy('test/creation/answer.unnamedStatus.test.ts', {
		'money/405-frees-the-key': {
			why: 'What a status in no contract has done is forgotten, and the next try pays for it again.',
			from: "{ ...refused('other'), nothingDone: false }",
			to: "refused('other')",
		},
		'money/405-stays-open': {
			why: 'One row is refused with 405: under a limit of credits no other row is sent.',
			from: "return { kind: 'refused', keepsKey: !nothingDone };",
			to: "return refusal === 'other' ? { kind: 'outcomeUnknown' } : { kind: 'refused', keepsKey: !nothingDone };",
		},
	}),
	...caughtBy('test/creation/idempotency/idempotency.oneOrder.test.ts', {
		'money/answer-about-another': {
			why: 'One Own Key in an image and a video node: the picture comes out as a film.',
			from: 'if (mismatch === undefined) return ok(',
			to: 'if (mismatch !== null) return ok(',
		},
	}),
	...caughtBy('test/creation/idempotency/idempotency.oneOrder.test.ts', {
		'money/unread-job-halts-the-run': {
			why: 'A job that cannot be read once halts the run while its own item goes on: the other items are lost in silence.',
			from: 'return read?.ok ? { ...made, job: read.value } : undefined;',
			to: "if (!read?.ok) item.run.all.halt({ cause: 'it cannot be read' }); return read?.ok ? { ...made, job: read.value } : undefined;",
		},
	}),
	...caughtBy('test/n8n/tool.test.ts', {
		'money/stop-forgets-what-is-out': {
			why: 'When an agent has had its answer, a creation that is out is given up, and its job is lost.',
			from: 'if (!isOut) noFurther.abort();',
			to: 'noFurther.abort();',
		},
	}),
	...caughtBy('test/creation/idempotency/idempotency.oneOrder.test.ts', {
		'money/other-body-under-the-key': {
			why: 'The catalogue changes its order, and the service refuses all items for a day: same key, other body.',
			from: 'idempotency.currentKey(filledIn(body, item.request))',
			to: 'idempotency.currentKey()',
		},
	}),
	...caughtBy('test/n8n/runOperation.test.ts', {
		'money/equal-items-share-a-key': {
			why: 'Two equal items of a run get one job: the user has asked for two pictures and gets one twice.',
			from: '[nodeMemory.runId, requestHash, origin.place]',
			to: '[nodeMemory.runId, requestHash]',
		},
	}),
	...caughtBy('test/creation/idempotency/idempotency.test.ts', {
		'money/own-key-ignored': {
			why: 'A key of the user’s own is not sent, so that the next execution pays again.',
			from: 'custom: OwnKey,',
			to: 'custom: OnRetries,',
		},
	}),
	...caughtBy('test/creation/idempotency/paidOnce.test.ts', {
		'money/own-key-for-two-requests': {
			why: 'In a loop, one key of the user’s own gives the media of the first request for all others.',
			from: 'if (first.requestHash === this.requestHash) return undefined;',
			to: 'if (first) return undefined;',
		},
	}),
	...caughtBy('test/creation/credits/creditLimits.test.ts', {
		'money/max-credits-side-by-side': {
			why: 'Under Max Credits many items are sent at once before the price of the first is known.',
			from: 'if (!isLimited(item)) {',
			to: 'if (spec) {',
		},
	}),
	...caughtBy('test/creation/idempotency/equalRequests.test.ts', {
		'money/kept-402-pays-for-each-row': {
			why: 'With Same Request, credits that come while two equal rows are out pay for both.',
			from: '? this.out.get(name)?.queue : undefined;',
			to: '? undefined : undefined;',
		},
		'money/each-equal-row-hangs': {
			why: 'With Same Request, each of two hundred equal rows hangs for Wait Timeout after the first one has.',
			from: 'if (isUnknown) lastRequest',
			to: 'if (!isUnknown) lastRequest',
		},
	}),
	...caughtBy('test/creation/idempotency/idempotency.sameRequest.test.ts', {
		'money/no-second-look-at-a-failed-job': {
			why: 'With Same Request, a job that failed once is given back for a day instead of a new one.',
			from: 'if (!wasBefore) return seen;',
			to: 'if (wasBefore) return seen;',
		},
	}),
	...caughtBy('test/creation/idempotency/replayedJob.test.ts', {
		'money/own-failure-made-again': {
			why: 'With Same Request a job that fails at once is made again and again in one run.',
			from: '(await wasListedBefore(progress, seen.job))',
			to: 'true',
		},
	}),
	...caughtBy('test/creation/idempotency/replayedJob.test.ts', {
		'money/failed-jobs-without-end': {
			why: 'A service whose jobs have a clock of their own is paid up to fifty times for a prompt that fails at once.',
			from: '< 2_000',
			to: '< 0',
		},
	}),
	...caughtBy('test/creation/idempotency/replayedJob.test.ts', {
		'money/retries-on-many-workers': {
			why: 'Each worker that retries an execution spends up to its limit anew.',
			from: 'if (idempotency.othersUseKey) takeBack(item, entry);',
			to: 'if (entry.isNew) takeBack(item, entry);',
		},
	}),
	...caughtBy('test/n8n/receipt.test.ts', {
		'money/receipt-counts-replays': {
			why: 'With Same Request, another process says that it has paid again for the picture of the first one.',
			from: 'idempotency.keyMayBeOld && item',
			to: '!idempotency.keyMayBeOld && item',
		},
	}),
	...caughtBy('test/creation/idempotency/replayedJob.free.test.ts', {
		'money/repetition-is-refused': {
			why: 'Same Request gives a picture for nothing, and the limit of credits refuses it.',
			from: 'if (key === undefined) return false;',
			to: 'if (key !== undefined) return false;',
		},
	}),
	...caughtBy('test/creation/idempotency/replayedJob.free.test.ts', {
		'money/key-that-is-over-is-free': {
			why: 'A day later the same request is paid for again, past every limit.',
			from: 'return age < LIMITS',
			to: 'return age < 2 * LIMITS',
		},
	}),
	...caughtBy('test/creation/idempotency/replayedJob.test.ts', {
		'money/keys-outlive-sleep': {
			why: 'After a night asleep, a machine takes keys of the day before for paid, past every limit.',
			from: 'Math.max(clock.now() - since.wall, clock.monotonic() - since.monotonic)',
			to: 'clock.monotonic() - since.monotonic',
		},
	}),
	...caughtBy('test/creation/idempotency/replayedJob.test.ts', {
		'money/any-date-is-true': {
			why: 'Jobs that all have the date of an example look as if they had been there before: no limit counts them.',
			from: 'age > CLOCKS_DIFFER_MS && age < OLDEST_MS',
			to: 'age > 0',
		},
		'money/list-without-moments-shows-old-jobs': {
			why: 'Before a list that goes on from no moment, a prompt that fails at once is paid for up to fifty times.',
			from: ' && !(await shows(moment - OLDEST_MS))',
			to: '',
		},
	}),
	...caughtBy('test/creation/parts.test.ts', {
		'money/half-a-text-is-paid-for': {
			why: 'Of a text that does not fit under a limit the first parts are paid for, and nothing comes of them.',
			from: 'followingPrices.reduce((sum, one) => sum + one, ownPrice)',
			to: 'ownPrice',
		},
	}),
	...caughtBy('test/files/upload.test.ts', {
		'money/storage-away-is-never': {
			why: 'A row whose file met a storage that was away is left alone for good.',
			from: "next !== 'never' || isSilent ? true : undefined",
			to: 'undefined',
		},
	}),
	...caughtBy('test/creation/idempotency/idempotency.oneOrder.test.ts', {
		'money/round-pays-again': {
			why: 'A failed row that comes back in another round, as everybody builds it, is paid for in each round.',
			from: 'const own = isFirst ? takeUnfinished(item, requestHash) : undefined;',
			to: 'const own = undefined as ItemMemory | undefined;',
		},
		'money/good-round-given-again': {
			why: 'A round that has ended well gives its picture to the next one, which is another order.',
			from: 'requestHash === undefined || endedIn !== undefined ||',
			to: 'requestHash === undefined ||',
		},
		'money/retry-forgets-the-order': {
			why: 'Stop, Retry, Retry: everything is paid for again.',
			from: 'if (mayTake && lost.isProduction) lost.add(memory, requester, executionSum.stored);',
			to: '',
		},
	}),
	...caughtBy('test/creation/idempotency/paidOnce.test.ts', {
		'money/delivered-given-again': {
			why: 'Executing the node again in the editor gives the old picture for ever.',
			from: 'else this.editor.remove(memory);',
			to: 'else this.editor.add(memory, requester);',
		},
		'money/stop-unheard': {
			why: 'A stopped execution is not known to be over: its retry pays for everything again.',
			from: 'onAbort(signal, () => this.executionStopped(known));',
			to: '',
		},
	}),
	...caughtBy('test/creation/idempotency/lostRequests.retried.test.ts', {
		'money/second-retry-of-the-first': {
			why: 'A failed execution is retried again after a retry of its retry has made the job, which is paid for again.',
			from: 'if (isRetry || !isDelivered) this.production.orders',
			to: 'if (isRetry && isDelivered) this.production.orders',
		},
		'money/older-memory-counts': {
			why: 'n8n hands a retry an older memory than the process has, and what was made since is paid for again.',
			from: 'return known && stageOf(known) > stageOf(memory) ? known : undefined;',
			to: 'return known && stageOf(known) < 0 ? known : undefined;',
		},
		'money/slower-of-two-retries': {
			why: 'Of two retries the one that has not come as far is remembered, and the next one pays again.',
			from: ' || this.laterThan(runId, place, memory)) continue;',
			to: ') continue;',
		},
		'money/taken-over-for-nothing': {
			why: 'Each retry of a stopped execution may spend Max Credits per Execution once more.',
			from: 'if (reservedWith) executionSum.countAsIn(reservedWith, item);',
			to: '',
		},
		'money/sum-of-a-node': {
			why: 'A retry that begins with a node which its execution had not come to spends the limit once more.',
			from: 'lost.orders.sumOf(order.id)',
			to: 'lost.orders.sumOf(nodeMemory.runId)',
		},
		'money/retry-begins-its-sum-anew': {
			why: 'Each retry of a failed execution may spend Max Credits per Execution once more.',
			from: 'if (order.startedIn !== execution) lost.orders.noteSum(order.id, executionSum);',
			to: '',
		},
		'money/changed-request-goes-on': {
			why: 'A retry takes over the job of a request that the user has changed since.',
			from: '`${runId} ${place} ${userInputHash}`',
			to: '`${runId} ${place}`',
		},
	}),
	...caughtBy('test/creation/idempotency/lostRequests.test.ts', {
		'money/retry-without-memory': {
			why: 'A stopped execution is retried, and a further retry of it pays for what that has made.',
			from: 'if (startedInRetry)',
			to: 'if (!startedInRetry)',
		},
	}),
	...caughtBy('test/creation/idempotency/lostRequests.test.ts', {
		'money/another-order-robbed': {
			why: 'A retry takes over the job of another order that asked for the same: one of two orders is never made.',
			from: 'if (this.isProduction && startDataHash !== asking.startDataHash()) continue;',
			to: '',
		},
		'money/earlier-rounds-forgotten': {
			why: 'A loop fails in its second round, and the next click pays for the first one again.',
			from: 'const concerned = hasFailed || isMended ?',
			to: 'const concerned = isMended ?',
		},
	}),
	...caughtBy('test/creation/credits/creditLimits.test.ts', {
		'money/price-up-to-the-limit': {
			why: 'An item that costs more than what is left of Max Credits is sent.',
			from: 'price > left + tolerance;',
			to: 'price > left + 1;',
		},
		'money/nothing-left-is-enough': {
			why: 'With nothing left of Max Credits, a job of unknown price is still made.',
			from: '!isCertain && left <= tolerance)',
			to: '!isCertain && left < 0)',
		},
	}),
	...caughtBy('test/creation/credits/creditLimits.test.ts', {
		'money/resend-leaves-the-sum': {
			why: 'A retry of an execution that was stopped does not know of what may be paid for, and spends more than Max Credits.',
			from: '\tledger.removeOld(now);\n',
			to: '\tledger.removeOld(now);\n\titem.executionSum.countOpen(item, 0);\n',
		},
	}),
	...caughtBy('test/creation/credits/ledger.test.ts', {
		'money/todays-job-is-of-yesterday': {
			why: 'A request of yesterday had no answer, and what is sent today under the same key counts for nothing while it is out.',
			from: '< DAY_MS) break;',
			to: '< 9 * DAY_MS) break;',
		},
	}),
	...caughtBy('test/creation/credits/creditLimits.test.ts', {
		'money/expected-price-stays': {
			why: 'What a lost answer may have cost stays in the sum beside its true price, and stops the run too early.',
			from: 'executionSum.subtractOpen(item);\n',
			to: '\n',
		},
	}),
	...caughtBy('test/creation/credits/creditLimits.model.test.ts', {
		'money/guesses-are-trusted': {
			why: 'What a request without a certain price has cost that had no answer is not known, and others are sent.',
			from: 'if (!isGuess && !isTooMuch(',
			to: 'if (!isTooMuch(',
		},
		'money/open-requests-do-not-go-first': {
			why: 'Each retry refuses a new row first and stops, and never asks for what had no answer.',
			from: '!progress.hasLetOthersFirst && dependsOnOpen(item)',
			to: 'progress.hasLetOthersFirst',
		},
	}),
	...caughtBy('test/creation/credits/creditLimits.byOutput.test.ts', {
		'money/sums-of-fractions': {
			why: 'Three jobs of 0.1 credits do not fit under a limit of 0.3.',
			from: '1e-9 * credits',
			to: '0 * credits',
		},
	}),
	...caughtBy('test/creation/credits/creditLimits.byOutput.test.ts', {
		'money/limit-without-prices': {
			why: 'Another process does not know what the workspace has paid, and its first job may cost anything.',
			from: 'if (hasService && listed.length > 0) await workspace.prices.ask(host.channel, listed);',
			to: '',
		},
	}),
	...caughtBy('test/creation/credits/creditLimits.byOutput.test.ts', {
		'money/price-of-a-job': {
			why: 'The price of a job is taken for that of an output: after four pictures, one is refused.',
			from: '({ credits, units }: Paid): number => credits / units;',
			to: '({ credits }: Paid): number => credits;',
		},
		'money/limit-ignores-the-count': {
			why: 'Under a limit of 10, sixteen pictures for 2 credits each are made.',
			from: 'const cost = price * unitsOf(request);',
			to: 'const cost = price;',
		},
		'money/partial-job-tells-the-price': {
			why: 'A job of which a part was made makes an output too dear.',
			from: "entry.status === 'completed' && credits",
			to: 'credits',
		},
		'money/first-page-only': {
			why: 'After a batch of pictures the price of a film is unknown.',
			from: 'const MOST_PAGES = 5;',
			to: 'const MOST_PAGES = 1;',
		},
	}),
	...caughtBy('test/creation/credits/creditLimits.test.ts', {
		'money/planning-is-free': {
			why: 'An agent run reserves one credit more than Max Credits allows.',
			from: 'undefined : PLANNING_CREDITS + budget;',
			to: 'undefined : budget;',
		},
	}),
	...caughtBy('test/nodes/checkSetup.test.ts', {
		'money/setup-reads-without-end': {
			why: 'Check Setup, which promises at most 20 requests, reads all jobs of a busy day.',
			from: 'if (this.sent >= MOST_REQUESTS) return',
			to: 'if (this.sent > 1_000) return',
		},
		'money/setup-does-not-ask-on': {
			why: 'Check Setup says nothing of the day where its first page shows more than the day.',
			from: 'return (await this.read({ endpoint, query })).result;',
			to: "return fail({ kind: 'skipped', cause: TOO_BUSY });",
		},
	}),
	...caughtBy('test/creation/credits/creditLimits.perDay.test.ts', {
		'money/day-ignores-the-run': {
			why: 'Max Credits per Day is compared with what was spent before the run, which then spends any amount.',
			from: 'today.credits + creditsSince(item, today)',
			to: 'today.credits',
		},
	}),
	...caughtBy('test/creation/credits/creditLimits.perDay.test.ts', {
		'money/sum-without-modes-is-nothing': {
			why: 'Where the usage shows only a sum, speech and agent runs count as nothing, without a word.',
			from: 'rows.length === 0 && creditsOf(usage) !== undefined ? undefined : rows',
			to: 'rows',
		},
		'money/yesterday-counts': {
			why: 'The jobs of yesterday count for Max Credits per Day, and nothing is made in the morning.',
			from: '!undated.older.has(id)',
			to: 'id !== undefined',
		},
		'money/running-job-is-settled': {
			why: 'A job that ran when the day was first read and has failed since counts for the rest of the day.',
			from: "if (state === 'running') firstRunning",
			to: "if (state === 'bad') firstRunning",
		},
		'money/day-is-read-anew-by-each-call': {
			why: 'Each call of an agent reads the list of the whole day: of 3,000 jobs for half a minute.',
			from: 'Math.max(since, known?.settledBefore ?? since)',
			to: 'since',
		},
	}),
	...caughtBy('test/creation/credits/creditLimits.perDay.test.ts', {
		'money/unknown-day-is-free': {
			why: 'Where nobody can say what was spent today, everything is sent.',
			from: 'if (obstacle === undefined && !isTooMuch(',
			to: 'if (!isTooMuch(',
		},
	}),
	...caughtBy('test/creation/credits/creditLimits.unlisted.test.ts', {
		'money/speech-counts-nowhere': {
			why: 'A key without usage:read makes speech for any number of credits a day, and nobody notices.',
			from: 'isListed(spec.endpoint) ? undefined : today?.uncounted',
			to: 'isListed(spec.endpoint) ? undefined : undefined',
		},
		'money/list-alone-is-not-said': {
			why: 'Pictures go on under a limit that counts only pictures, and no row says so.',
			from: 'return run.today.get(workspace)?.uncounted',
			to: 'return run.today.get(workspace)?.obstacle',
		},
	}),
	...caughtBy('test/transport/priceBook.exactKind.test.ts', {
		'money/one-price-for-all-films': {
			why: 'Reworking a film of an hour goes out at the price that one of a second had.',
			from: '(PICTURE_SLOTS.includes(slot) ? countIn(files) : files)',
			to: 'countIn(files)',
		},
		'money/sixteen-rounded-once': {
			why: 'Sixteen short speeches are expected to cost one credit, and each costs one.',
			from: 'return outputs * Math.ceil(cost / outputs - 1e-9);',
			to: 'return Math.ceil(cost - 1e-9);',
		},
	}),
	...caughtBy('test/creation/credits/creditLimits.byOutput.test.ts', {
		'money/each-picture-is-another-price': {
			why: 'Of rows that each have a picture of their own, one without an answer holds back all others.',
			from: 'PICTURE_SLOTS.includes(slot)',
			to: 'PICTURE_SLOTS.includes(`no ${slot}`)',
		},
	}),
	...caughtBy('test/creation/approval.test.ts', {
		'money/plan-by-its-word': {
			why: 'A 201 with a word that is not known passes for an approved run, which nobody approves then.',
			from: 'isRefused || status === 201 ||',
			to: 'isRefused ||',
		},
		'money/plan-is-forgotten': {
			why: 'Retry On Fail puts a plan out as if it had been approved.',
			from: 'isPlan ? asText(job.status) : undefined',
			to: 'undefined',
		},
	}),
	...caughtBy('test/creation/credits/today.test.ts', {
		'money/guess-is-a-price': {
			why: 'Films of ten seconds go out at the price of one of five, several at once.',
			from: '?.has(exactKindOf(request)) ?? false;',
			to: ' !== undefined;',
		},
	}),
	...caughtBy('test/creation/credits/today.test.ts', {
		'money/day-is-read-once': {
			why: 'Two workers that make a batch each spend the limit of the day twice.',
			from: 'since > 0 && since + price > left / SHARERS',
			to: 'false',
		},
		'money/what-has-ended-hides-what-goes-on': {
			why: 'What the usage shows of ended jobs is subtracted from what goes on: 180 of 100 credits are spent.',
			from: 'shown.credits + notEnded',
			to: 'Math.max(shown.credits, notEnded)',
		},
		'money/list-that-is-behind-forgets': {
			why: 'A list shows jobs half a minute late, and each execution of that time spends the limit of the day again.',
			from: ' + missingIn(item, shown)',
			to: '',
		},
		'money/left-run-counts-until-midnight': {
			why: 'Runs that nobody waits for count with all that they had reserved for the rest of the day, and nothing more is made.',
			from: 'if (read.ok) entry.isOver = ',
			to: 'if (read.ok) ',
		},
	}),
	...caughtBy('test/creation/credits/today.test.ts', {
		'money/list-without-moments-is-empty': {
			why: 'A list that goes on from no moment shows all jobs as older than the day: nothing counts.',
			from: 'isKnown ? { older, isKnown } : { older: new Set<unknown>(), isKnown }',
			to: '{ older, isKnown }',
		},
		'money/pages-that-overlap-count-twice': {
			why: 'Each page of the list begins with the last job of the one before: a workspace with many jobs is refused early.',
			from: 'entries.set(entry.id ?? entry, entryOf(',
			to: 'entries.set(entry, entryOf(',
		},
	}),
	...caughtBy('test/creation/credits/today.test.ts', {
		'money/lost-answer-is-over-the-limit': {
			why: 'A picture that was paid for and not answered does not fit under the limit of the day, and is never given.',
			from: ' || isOutcomeOpen(memory.state)) return undefined;',
			to: ') return undefined;',
		},
	}),
	...caughtBy('test/creation/credits/ledger.test.ts', {
		'money/sent-again-counts-again': {
			why: 'A request of unknown outcome counts for the day once more with each 429, and then nothing fits.',
			from: 'if (open) return voidEntry(item, entry);',
			to: '',
		},
	}),
	...caughtBy('test/creation/credits/today.test.ts', {
		'money/lost-voice-takes-the-day': {
			why: 'A gateway has answered once in the place of the service, and nothing more is made that day.',
			from: 'answeredAt > until - LOST_MS',
			to: 'answeredAt <= until',
		},
	}),
	...caughtBy('test/creation/credits/today.test.ts', {
		'money/quiet-hour-forgets-what-goes-on': {
			why: 'After an hour without a request, what goes on counts for no limit of the day: 240 of 100 credits are spent.',
			from: 'some(({ mayBeForgotten }) => !mayBeForgotten)',
			to: 'some(() => false)',
		},
	}),
	...caughtBy('test/creation/credits/today.test.ts', {
		'money/plans-count-twice': {
			why: 'Each plan that nobody has approved yet counts twice for the day, and is read before each run.',
			from: 'plans && entry.credits <= PLANNING_CREDITS',
			to: 'false',
		},
	}),
	...caughtBy('test/creation/credits/today.test.ts', {
		'money/day-bounds-no-budget': {
			why: 'An agent run that approves itself spends any amount under a limit of the day.',
			from: 'Math.min(leftOfExecution(item), leftOfDay(item))',
			to: 'leftOfExecution(item)',
		},
	}),
	...caughtBy('test/creation/idempotency/idempotency.sameRequest.test.ts', {
		'money/kept-402-pays-each-time': {
			why: 'After a top-up each execution of Same Request pays again, where the service keeps the 402.',
			from: 'if (leading !== undefined) return leading;',
			to: '',
		},
		'money/kept-402-stays': {
			why: 'A key that was refused once more is tried for a day, though there are credits again.',
			from: "if (outcome !== 'nothing' && !last",
			to: 'if (!last',
		},
	}),
	...caughtBy('test/creation/credits/creditLimits.repeats.test.ts', {
		'money/next-round-counts-twice': {
			why: 'The next round of a loop gets what was lost, and Max Credits counts it twice or refuses it.',
			from: 'const unique = state.key ?? ',
			to: 'const unique = ',
		},
	}),
	...caughtBy('test/creation/credits/creditLimits.repeats.test.ts', {
		'money/dearer-than-what-is-paid-for': {
			why: 'A price has risen, and Max Credits refuses to find out about a job that may be paid for.',
			from: 'if (item.executionSum.hasOpen(item)) return undefined;',
			to: '',
		},
	}),
	...caughtBy('test/creation/credits/creditLimits.repeats.test.ts', {
		'money/free-parts-have-to-fit': {
			why: 'With Same Request, parts of a text that cost nothing again are counted, and the limit refuses the rest.',
			from: ' && !part.repeatsOnly()',
			to: '',
		},
	}),
	...caughtBy('test/creation/credits/creditLimits.repeats.test.ts', {
		'money/known-parts-have-to-fit': {
			why: 'Parts of a text that are paid for already count as parts to be paid for, and the limit refuses the rest.',
			from: 'isToCome(part) && ',
			to: '',
		},
	}),
	...caughtBy('test/creation/credits/creditLimits.repeats.test.ts', {
		'money/lost-parts-need-not-fit': {
			why: 'Parts of a text that another execution has lost are not counted: some are paid for, and the rest does not fit.',
			from: "!('job' in part.memory.state) && !executionSum",
			to: "part.memory.state.is === 'new' && !executionSum",
		},
	}),
	...caughtBy('test/n8n/errors.test.ts', {
		'money/failed-part-hides-the-others': {
			why: 'A long text of which one part has failed does not name the one other part that is paid for.',
			from: 'jobIds: ids.size > 1 ?',
			to: 'jobIds: (context.jobIds?.length ?? 0) > 1 ?',
		},
	}),
	...caughtBy('test/creation/refusals.test.ts', {
		'money/parts-are-rows': {
			why: 'One long text that is not allowed is taken for many rows: the rest with its voice is not sent.',
			from: 'if (sameNames.refused.has(item.itemIndex)) return false;',
			to: 'sameNames.refused.add(-1 - sameNames.refused.size);',
		},
	}),
	...caughtBy('test/creation/idempotency/replayedJob.free.test.ts', {
		'money/repetition-counts': {
			why: 'A picture that is given again for nothing uses up the limit of what is new.',
			from: 'if (!isNew) return voidEntry(item, entry);',
			to: '',
		},
	}),
	...caughtBy('test/creation/answer.byStatus.test.ts', {
		'money/accepted-means-failed': {
			why: 'A job that the 202 of its creation calls failed is not looked at, and the next try pays again.',
			from: "if (stateOf(made) !== 'bad') return made;",
			to: 'return made;',
		},
	}),
	...caughtBy('test/creation/idempotency/replayedJob.free.test.ts', {
		'money/new-job-read-at-once': {
			why: 'With Same Request each new job costs a read that nothing needs.',
			from: " || provenanceOf(progress, made.job) === 'new')",
			to: ')',
		},
	}),
	...caughtBy('test/creation/credits/creditLimits.perDay.test.ts', {
		'money/quick-jobs-are-free': {
			why: 'With Same Request, jobs that are made in a second count for no limit of the day.',
			from: 'entry.mayBeOld = true;',
			to: 'takeBack(item, entry);',
		},
	}),
	...caughtBy('test/n8n/tool.doors.test.ts', {
		'money/tool-call-of-another-row': {
			why: 'An agent that asks for the picture of the second row gets that of the first.',
			from: 'return READS_NODE.test(expressions) && !changes;',
			to: 'return false;',
		},
	}),
	...caughtBy('test/n8n/receipt.test.ts', {
		'money/receipt-is-markup': {
			why: 'What a service says of a failure becomes markup in the editor of whoever runs the node.',
			from: '${broken.length} failed${first} ${escaped(message)}.',
			to: '${broken.length} failed${first} ${message}.',
		},
	}),
	...caughtBy('test/creation/refusals.everyDoor.test.ts', {
		'money/key-ends-the-others': {
			why: 'With a key for each row, one key that was removed ends the rows of all the others.',
			from: 'getOrCreate(this.byKey, name,',
			to: "getOrCreate(this.byKey, name && '',",
		},
		'money/busy-model-ends-the-others': {
			why: 'With On Error: Continue, one model that is busy for half an hour ends the rows of all others.',
			from: "throttled: 'busyKind',",
			to: '',
		},
		'money/text-in-parts-is-an-outage': {
			why: 'A long text that has no answer for two of its parts ends all other texts.',
			from: 'if (asker !== undefined && before.asker === asker) return undefined;',
			to: '',
		},
	}),
	...caughtBy('test/transport/client.test.ts', {
		'money/what-hangs-is-no-outage': {
			why: 'Under a limit each row waits for two hanging requests, one row after the other, for hours.',
			from: 'this.giveUp(request, channel, unansweredSince)',
			to: 'this.giveUp(request, channel, attempts.failingSince)',
		},
		'money/two-bad-rows-are-an-outage': {
			why: 'Two rows that the service cannot bear end a batch of which all others are answered.',
			from: 'if (answeredAt >= Math.min(before.at, unansweredSince)) return undefined;',
			to: 'if (answeredAt >= before.at) return undefined;',
		},
	}),
	...caughtBy('test/creation/refusals.test.ts', {
		'money/one-refusal-ends-all': {
			why: 'With On Error: Continue, one dear row or one foreign persona ends all rows that would pass.',
			from: "else if (effect.reach !== 'none') ofKey.refused(item, effect, path);",
			to: "else if (effect.reach !== 'none') ofKey.halt(effect.halt);",
		},
		'money/top-up-waited-for-by-all': {
			why: 'After an hour of waiting for a top-up, each row that asks for the same waits 20 seconds more.',
			from: 'progress.creditWait.endTrial?.();',
			to: '',
		},
		'money/a-402-is-no-answer': {
			why: 'Without credits, each refusal lets the next row try at once, thousands a minute.',
			from: 'creditWait.endTrial = undefined;',
			to: '',
		},
	}),
	...caughtBy('test/creation/credits/creditLock.test.ts', {
		'money/stopped-and-still-out': {
			why: 'An execution that is stopped lets the next one make a second job that may cost any number of credits.',
			from: 'lastRequest.stillOut = applying;',
			to: '',
		},
	}),
	...caughtBy('test/creation/refusals.test.ts', {
		'money/same-again-after-a-402': {
			why: 'Without credits, two hundred rows that ask for the same are all sent and refused.',
			from: 'this.tooDear.push(',
			to: 'if (item.run.total < 0) this.tooDear.push(',
		},
		'money/left-out-after-a-top-up': {
			why: 'Rows like one that has waited for a top-up in vain are left out for hours after it has come.',
			from: 'one.endedAt > toppedUpAt && ',
			to: '',
		},
		'money/less-is-left-out': {
			why: 'After sixteen pictures were refused, a single one that could be paid for is left out.',
			from: '&& amountOf(priced) >= one.amount',
			to: '',
		},
		'money/refusals-without-end': {
			why: 'A key without the scope is refused for each of two hundred personas.',
			from: 'if (this.inARow.size >= MANY) this.halt(halt);',
			to: '',
		},
		'money/accepted-forgotten': {
			why: 'Three prompts that are not allowed end all rows of their model, although others were made.',
			from: 'sameNames && !sameNames.isAccepted && ',
			to: 'sameNames && ',
		},
	}),
	...caughtBy('test/creation/credits/creditLimits.byOutput.test.ts', {
		'money/dear-row-ends-the-others': {
			why: 'With On Error: Continue, one row that does not fit under the limit ends the cheap ones.',
			from: "because('none', `Max Credits per Execution",
			to: "because('key', `Max Credits per Execution",
		},
	}),
	...caughtBy('test/n8n/runOperation.wholeRuns.test.ts', {
		'money/repeated-key-counts-twice': {
			why: 'A retry counts the same job again, and stops at Max Credits although nothing more was spent.',
			from: 'const more = Math.max(0, reserved - before);',
			to: 'const more = reserved;',
		},
	}),
	...caughtBy('test/creation/dryRun.test.ts', {
		'money/dry-run-too-cheap': {
			why: 'A dry run promises a price below the real one.',
			from: 'Math.ceil(credits * 100 - 1e-6) / 100',
			to: 'Math.floor(credits * 100 - 1e-6) / 100',
		},
	}),
	...caughtBy('test/creation/dryRun.test.ts', {
		'money/dry-run-pays': {
			why: 'A dry run creates and pays.',
			from: '\tif (settings.dryRun) return dryRun(item);\n',
			to: '',
		},
	}),
	...caughtBy('test/nodes/approve.test.ts', {
		'money/edited-plan-by-the-old-estimate': {
			why: 'An edited plan is judged by the old one: approved and failed with all spent, or refused though it fits.',
			from: 'if (ofSteps !== undefined) return ok({ credits: ofSteps });',
			to: '',
		},
	}),
	...caughtBy('test/nodes/guards.test.ts', {
		'money/dry-run-deletes': {
			why: 'A Dry Run that a model has set beside Delete is left out in silence, and the persona is gone.',
			from: 'return unused.includes(parameter) && isSet(guard, value) && !holdsAnyway(spec, mapping);',
			to: 'return false;',
		},
		'money/guard-beside-options-is-lost': {
			why: 'A Dry Run that a model has written beside Options is left out in silence, and paid for.',
			from: 'misplacedGuard(operation, knownFields.guards, stored) ??',
			to: '',
		},
	}),
	...caughtBy('test/n8n/runOperation.test.ts', {
		'money/missing-scope-found-too-late': {
			why: 'A key that may create and not read pays for a job whose result it can never fetch.',
			from: 'waits ? readerOf(object).scope : undefined,',
			to: 'undefined,',
		},
	}),
	...caughtBy('test/n8n/faults.test.ts', {
		'money/receipt-ends-a-run': {
			why: 'A sentence above the output that cannot be made fails a run that is paid for.',
			from: 'if (receipt) running.call.addHint(receipt);\n	} catch {',
			to: 'if (receipt) running.call.addHint(receipt);\n	} catch (error) {\n		throw error;',
		},
		'money/memory-ends-a-run': {
			why: 'What the next click may need, if it cannot be noted, fails a run that is paid for.',
			from: 'hasFailed && !call.isTool);\n	} catch {',
			to: 'hasFailed && !call.isTool);\n	} catch (error) {\n		throw error;',
		},
	}),
	...caughtBy('test/n8n/faults.test.ts', {
		'money/fault-before-an-item-ends-all': {
			why: 'An item that cannot be opened takes the paid rows of all others with it.',
			from: 'result = faultOf(error);',
			to: 'throw error;',
		},
	}),
	...caughtBy('test/n8n/faults.test.ts', {
		'money/fault-shows-an-address': {
			why: 'A fault of our own shows what it was about, such as a signed address.',
			from: 'const problem = isOfLanguage ?',
			to: 'const problem = message !== undefined ?',
		},
	}),
	...caughtBy('test/n8n/runOperation.test.ts', {
		'money/half-a-run-is-sent': {
			why: 'One item is wrong, n8n throws all results away, and the others are paid for.',
			from: '\t\tthrowFailure(running, invalidOf(call, checked));\n',
			to: '',
		},
	}),
	...caughtBy('test/creation/run.outage.test.ts', {
		'money/outage-sends-the-rest': {
			why: 'While the service is away, each of 500 items is sent and fails by itself, for hours.',
			from: "return before.kind === kind ? 'kind' : 'key';",
			to: 'return undefined;',
		},
	}),
	...caughtBy('test/transport/client.test.ts', {
		'money/expired-while-it-waits': {
			why: 'A lost creation whose key expires while it waits for its turn is sent all the same, and paid for again.',
			from: 'if (isExpired) return failed ?? KEY_EXPIRED;',
			to: '',
		},
	}),
	...caughtBy('test/transport/network.test.ts', {
		'money/reset-means-never-sent': {
			why: 'A connection that breaks after the request counts as never made: without a key it is paid for twice.',
			from: '/^(ECONNREFUSED|',
			to: '/^(ECONNRESET|ECONNREFUSED|',
		},
	}),
	...caughtBy('test/transport/statuses.test.ts', {
		'money/conflict-is-final': {
			why: 'The service is still at work on the first attempt: the item fails, though its job is being made.',
			from: "409: other('replayable'),",
			to: "409: other('never'),",
		},
		'money/key-in-use-taken-for-another': {
			why: 'The service is still at work on the first attempt and says so: the next try takes another key and pays again.',
			from: 'if (UNDER_WAY.test(words)) return undefined;',
			to: '',
		},
	}),
	...caughtBy('test/transport/client.test.ts', {
		'money/conflict-with-what-was-lost': {
			why: 'An answer is lost, and the service is still at work: its 409 is taken for a refusal, and the job is paid for twice.',
			from: "if (again === 'conflict' && !isOpen)",
			to: "if (again === 'conflict')",
		},
	}),
	...caughtBy('test/wire/answers.test.ts', {
		'money/answer-unheard-after-stop': {
			why: 'Stopping an execution cuts off the answer to a creation, and nobody learns the id of the paid job.',
			from: 'outlivesCancel ? deadline : anyOf(context.signal, deadline)',
			to: 'anyOf(context.signal, deadline)',
		},
	}),
	...caughtBy('test/n8n/errors.test.ts', {
		'money/error-says-nothing-was-spent': {
			why: 'The error says that no credits were spent although an earlier try may have made a job.',
			from: "if (context.outcomeUnknown) return 'outcomeUnknown';",
			to: '',
		},
	}),
	...caughtBy('test/n8n/errors.test.ts', {
		'money/error-promises-a-free-retry': {
			why: 'With Avoid Paying Twice off, the error tells the user to retry for free, which pays again.',
			from: 'if (idempotency && retryMayPay(idempotency)) return false;',
			to: '',
		},
	}),
	...caughtBy('test/creation/idempotency/paidOnce.test.ts', {
		'money/known-job-unnamed': {
			why: 'A paid job that cannot be read at the moment is not named, so that nobody can fetch it later.',
			from: 'fail(read.failure, { ...job })',
			to: 'fail(read.failure)',
		},
	}),
	...caughtBy('test/n8n/tool.doors.test.ts', {
		'money/own-agents-forget': {
			why: "In n8n's own Agents a call whose answer was lost is paid for again by the same call.",
			from: '!hasEnded(earlier.memory)) return earlier.memory;',
			to: 'false) return earlier.memory;',
		},
		'money/own-agents-day': {
			why: "In n8n's own Agents a lost call is forgotten a day after the first good one, and paid for again.",
			from: ' && !hasEnded(earlier.memory)',
			to: '',
		},
	}),
	...caughtBy('test/n8n/tool.doors.test.ts', {
		'money/old-agents-hear-nothing': {
			why: 'A model of an agent up to version 2 hears nothing of a failure, and buys another.',
			from: '(isNested && ofCall.node.retryOnFail !== true)',
			to: 'false',
		},
	}),
	...caughtBy('test/n8n/tool.doors.test.ts', {
		'money/model-hears-a-code': {
			why: 'A model hears "The service did not respond (ECONNRESET)", and buys another.',
			from: 'return context.isTool ? forModel(error) : error;',
			to: 'return error;',
		},
	}),
];
