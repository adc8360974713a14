import { caughtBy, type Mutant } from './mutant';

/** Deliveries: whether they are genuine, new and wanted. Webhooks at the service. Polls. */
export const triggers: Mutant[] = [
	...caughtBy('test/nodes/PollingTrigger/poll.test.ts', {
		'triggers/filter-after-the-state': {
			why: 'A filter that cannot be used ends a poll after it was recorded, and what had finished is lost.',
			from: 'const isWanted = filterOf(this);',
			to: 'const isWanted = (one: { id: string }) => filterOf(this)(one);',
		},
		'triggers/polls-overlap': {
			why: 'A slow poll and the next one both start the workflow for the same job.',
			from: 'if (polling.has(name)) return null;',
			to: '',
		},
	}),
	...caughtBy('test/nodes/PollingTrigger/findNewlyFinished.test.ts', {
		'triggers/other-key-on-the-first-page': {
			why: 'After a change of the key in a busy workspace all that has finished since the last poll is passed over.',
			from: 'const MAX_PAGES_OF_OTHER_KEY = 20;',
			to: 'const MAX_PAGES_OF_OTHER_KEY = 1;',
		},
		'triggers/poll-repeats': {
			why: 'Every poll starts the workflow again for all that the list shows.',
			from: '!seen.includes(id) && !older.has(id)',
			to: '!older.has(id)',
		},
		'triggers/deletion-starts-the-old': {
			why: 'After a generation was deleted, the next older one starts the workflow as if it were new.',
			from: '!isAtEnd && knownCount <= LIMITS.listLimit.max',
			to: 'false',
		},
		'triggers/first-poll-floods': {
			why: 'Publishing starts the workflow for everything that was ever made.',
			from: 'const last = known ?? own;',
			to: 'const last = known ?? own ?? { workspace, seen: [], running: [] };',
		},
		'triggers/long-jobs-missed': {
			why: 'A job that runs while a hundred others are made never starts the workflow.',
			from: 'const hidden = running.filter((id) => !listed.has(id));',
			to: 'const hidden: string[] = [];',
		},
	}),
	...caughtBy('test/trigger/signature.test.ts', {
		'triggers/future-is-taken': {
			why: 'A delivery that is dated ahead can be replayed until its time has come.',
			from: '!(Math.abs(age) <= LIMITS',
			to: '!(age <= LIMITS',
		},
		'triggers/timestamp-unsigned': {
			why: 'Genuine deliveries are refused, and one that was overheard could be sent again with a new time.',
			from: '.update(`${timestamp}.`)',
			to: '',
		},
		'triggers/no-change-of-secrets': {
			why: 'While a secret is being changed, deliveries carry two signatures, and all of them are refused.',
			from: 'const isValid = signatures.some((each)',
			to: 'const isValid = signatures.every((each)',
		},
		'triggers/empty-secret': {
			why: 'With an empty secret anybody can start the workflow.',
			from: "if (!secret) return 'there is no signing secret to check it with';",
			to: "if (secret === undefined) return 'there is no signing secret to check it with';",
		},
	}),
	...caughtBy('test/nodes/Trigger/receive.test.ts', {
		'triggers/refused-with-200': {
			why: 'A delivery that was refused by mistake counts as taken at the service, and is never repeated.',
			from: 'context.getResponseObject().status(401).end();',
			to: 'context.getResponseObject().status(200).end();',
		},
		'triggers/started-twice': {
			why: 'A repeated delivery starts the workflow again.',
			from: "if (before === 'taken') return IGNORED;",
			to: '',
		},
		'triggers/lost-with-its-execution': {
			why: 'An event whose execution n8n could not make is ignored when the service repeats it.',
			from: "if (response.statusCode < 300) deliveries.set(key, 'taken');\n\t\telse deliveries.delete(key);",
			to: "deliveries.set(key, 'taken');",
		},
		'triggers/repeat-answered-too-soon': {
			why: 'A repeat is acknowledged while n8n may still fail with the first: the event is lost.',
			from: "if (before === 'undecided') {",
			to: "if (before === 'undecided') return IGNORED;\n\tif (before !== undefined) {",
		},
		'triggers/all-kinds-start': {
			why: 'A webhook made by hand starts the workflow for kinds that were not chosen.',
			from: '!isKnown || !Array.isArray(chosen) || chosen.includes(kind)',
			to: 'true',
		},
		'triggers/key-in-an-event': {
			why: 'A key that the service puts into an event is stored with the execution.',
			from: 'maskSecret(payload, read.apiKey)',
			to: 'payload',
		},
	}),
	...caughtBy('test/trigger/event.test.ts', {
		'triggers/step-for-its-job': {
			why: 'The workflow gets the ID of a step within the job, of which the service knows nothing.',
			from: 'if (itself && !isEvent && saysWhatItIs(inner)) return itself;',
			to: '',
		},
		'triggers/prototype-in-a-payload': {
			why: 'What a delivery holds can become the prototype of objects in later nodes.',
			from: "name === '__proto__' ? undefined : value,",
			to: 'value,',
		},
	}),
	...caughtBy('test/trigger/event.test.ts', {
		'triggers/events-of-one-id-are-one': {
			why: 'Where the `id` is that of the workspace, every event after the first is dropped as a repeat.',
			from: '[eventId, kind, resourceId, resource?.status]',
			to: '[eventId, kind]',
		},
		'triggers/second-status-is-a-repeat': {
			why: 'A second event about the same resource, with another status, is dropped as a repeat.',
			from: 'resourceId, resource?.status]',
			to: 'resourceId]',
		},
		'triggers/second-gate-is-a-repeat': {
			why: 'An agent run that comes to a second review gate waits for ever, as nobody is told.',
			from: "? kind !== 'agent.review_required'",
			to: '? true',
		},
		'triggers/signed-anew-is-another': {
			why: 'A repeated event starts the workflow again, because its links were signed anew.',
			from: "url: value.url.split('?', 1)[0], expires_at: undefined",
			to: '',
		},
		'triggers/another-attempt-is-another': {
			why: 'A repeated event that says how often it was tried starts the workflow at each try.',
			from: 'isResource || !OF_DELIVERY.has(',
			to: 'true || !OF_DELIVERY.has(',
		},
		'triggers/attempts-of-a-run-are-of-delivery': {
			why: 'A run that says how often it was tried waits at its second gate for ever.',
			from: 'isResource || !OF_DELIVERY.has(',
			to: '!OF_DELIVERY.has(',
		},
	}),
	...caughtBy('test/trigger/event.test.ts', {
		'triggers/filter-lets-all-through': {
			why: 'The filters of a trigger do nothing.',
			from: "wanted.some((each) => each === value) ? 'wanted' : 'unwanted'",
			to: "wanted.length > 0 ? 'wanted' : 'unwanted'",
		},
	}),
	...caughtBy('test/nodes/Trigger/execute.test.ts', {
		'triggers/run-again-is-dropped': {
			why: 'Retrying an execution of the trigger outputs nothing, as its event has been seen.',
			from: "if (context.getMode() !== 'webhook') return items;",
			to: '',
		},
		'triggers/retry-on-fail-drops': {
			why: 'Retry On Fail takes the event of its own first try for a repeat, and outputs nothing.',
			from: 'memory.repeats ??= await',
			to: 'memory.repeats = await',
		},
	}),
	...caughtBy('test/nodes/Trigger/registration.test.ts', {
		'triggers/hook-takes-too-long': {
			why: 'Publishing with a service that is away ends with n8n’s own words after 84 s instead of ours.',
			from: 'const until = isRepeat ? before.until : startedAt + HOOK_MS;',
			to: 'const until = startedAt + HOOK_MS;',
		},
	}),
	...caughtBy('test/nodes/PollingTrigger/poll.test.ts', {
		'triggers/other-workspace-forgotten': {
			why: 'Who changes to the key of another workspace and back misses all that has finished meanwhile.',
			from: '...before.filter((one) => one !== last)',
			to: '',
		},
	}),
	...caughtBy('test/nodes/Trigger/registration.test.ts', {
		'triggers/publishing-drops-events': {
			why: 'Publishing a changed trigger makes the service drop the events on their way, and all repeats.',
			from: 'await systemClock.sleep(STAY_MS, stop.signal);',
			to: '',
		},
		'triggers/deleted-though-in-use': {
			why: 'Seconds after a publishing the webhook is deleted that the new version uses.',
			from: 'if (stop.signal.aborted) return;',
			to: '',
		},
		'triggers/deleted-twice-called-back-once': {
			why: 'n8n asks twice to delete a webhook, and seconds after a publishing the first deletes it all the same.',
			from: 'former?.stop.abort();',
			to: '',
		},
		'triggers/second-deletion-hides-the-first': {
			why: 'A new version registers a webhook that the deletion of the old one is still about to take away.',
			from: 'if (former?.isBeingDeleted) return;',
			to: '',
		},
		'triggers/deleted-while-taken-over': {
			why: 'A webhook that is just being deleted is taken over by the new version.',
			from: 'await entry.end;',
			to: '',
		},
	}),
	...caughtBy('test/nodes/Trigger/registration.test.ts', {
		'triggers/deletes-webhooks-of-others': {
			why: 'Publishing a workflow deletes all other webhooks of the workspace.',
			from: 'if (webhook.url !== url) continue;',
			to: '',
		},
		'triggers/changed-events-unnoticed': {
			why: 'A webhook that was given other events at the service is never corrected.',
			from: 'return current.url === url && sameEvents(current.events, events);',
			to: 'return current.url === url;',
		},
	}),
	...caughtBy('test/nodes/Trigger/registration.test.ts', {
		'triggers/copy-deletes-the-original': {
			why: 'Unpublishing a copy of a workflow deletes the webhook of the original.',
			from: 'if (registration.workflowId !== context.getWorkflow().id) {',
			to: 'if (registration.workflowId === undefined) {',
		},
		'triggers/deleted-by-another-process': {
			why: 'With several main processes, one deletes the webhook that another has just taken over.',
			from: '!isBeingLeftElsewhere(registration) &&',
			to: '',
		},
	}),
	...caughtBy('test/wire/webhooks.test.ts', {
		'triggers/words-of-n8n-instead': {
			why: 'Unpublishing while the service is away does not name the webhook that is left there.',
			from: 'if (problem !== undefined) warn(context, problem);',
			to: '',
		},
	}),
];
