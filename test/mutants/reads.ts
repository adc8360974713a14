import { inFile, type Mutant } from './mutant';

/** What is only read: lists, links and samples. */
export const reads: Mutant[] = [
	...inFile('src/transport/pages.ts', 'test/transport/pages.test.ts', {
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
	...inFile('src/n8n/pickers/searches.ts', 'test/n8n/pickers.test.ts', {
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
	...inFile('nodes/Voice/operations.ts', 'test/reads/samples.test.ts', {
		'reads/note-simplified-away': {
			why: 'A sample is missing, and no row says why.',
			from: "\t'warning',\n",
			to: '',
		},
	}),
];
