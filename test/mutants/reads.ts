import { caughtBy, type Mutant } from './mutant';

/** What is only read: lists, links and samples, and what Check Setup finds. */
export const reads: Mutant[] = [
	...caughtBy('test/transport/pages.test.ts', {
		'reads/older-than': {
			why: 'Newer Than gives everything, and a report of one night counts all nights.',
			from: 'entry.id === border.value)',
			to: 'entry === border.value)',
		},
		'reads/border-not-shown': {
			why: 'A list that lacks its border is given as a whole, old entries with it.',
			from: "border === undefined ? undefined : 'the list lacks",
			to: "border !== undefined ? undefined : 'the list lacks",
		},
	}),
	...caughtBy('test/n8n/pickers.test.ts', {
		'reads/signed-link-saved': {
			why: 'A signed link is saved with the workflow, and shared with it.',
			from: 'find((file) => expiryOf(file) === Infinity)',
			to: 'find((file) => expiryOf(file) > 0)',
		},
		'reads/link-of-any-scheme': {
			why: "n8n's button opens whatever the service names, such as a script.",
			from: '/^https?:\\/\\//.test(link)',
			to: '/^/.test(link)',
		},
	}),
	...caughtBy('test/nodes/checkSetup.test.ts', {
		'setup/asks-about-all-webhooks': {
			why: 'A check takes half of the requests of a minute from the nodes that work.',
			from: 'const MOST_WEBHOOKS = 3;',
			to: 'const MOST_WEBHOOKS = 9;',
		},
		'setup/tries-again': {
			why: 'A service that is down is asked the same for minutes.',
			from: 'const options = { retry: false, return429:',
			to: 'const options = { retry: true, return429:',
		},
		'setup/asks-on-with-a-wrong-key': {
			why: 'A wrong key is sent twenty times, and locked.',
			from: 'questioner.stop(reasonToStop(credits));',
			to: '',
		},
		'setup/creates-where-nothing-is-known': {
			why: 'What is no API is sent what would create something.',
			from: 'if (wanted.length > 0 && !wanted.some(knowsKey))',
			to: 'if (wanted.length > 100)',
		},
		'setup/waits-for-ever': {
			why: 'One answer that does not come takes all other rows with it.',
			from: 'AbortSignal.any([signal, AbortSignal.timeout(LONGEST_ANSWER_MS)])',
			to: 'signal',
		},
	}),
	...caughtBy('test/nodes/checkSetup.test.ts', {
		'setup/any-refusal-is-a-scope': {
			why: 'A key without write scopes is told that it probably has all.',
			from: "(refusal === 'invalid' || refusal === 'noCredits')",
			to: 'refusal !== undefined',
		},
	}),
	...caughtBy('test/nodes/checkSetup.test.ts', {
		'setup/http-is-fine': {
			why: 'A trigger is published that no event ever reaches.',
			from: "!== 'https:'",
			to: "=== 'ftp:'",
		},
		'setup/clock-never-off': {
			why: 'Every event is refused, and the check says that all is fine.',
			from: 'if (seconds < most)',
			to: 'if (seconds < 10 * most)',
		},
	}),
	...caughtBy('test/nodes/checkSetup.test.ts', {
		'setup/needs-a-good-credential': {
			why: 'Who has a wrong credential cannot check what is wrong with it.',
			from: 'spec.perform !== undefined || (spec.creates',
			to: 'spec.perform === undefined || (spec.creates',
		},
	}),
	...caughtBy('test/reads/voiceSamples.test.ts', {
		'reads/note-simplified-away': {
			why: 'A sample is missing, and no row says why.',
			from: "\t'warning',\n",
			to: '',
		},
	}),
];
