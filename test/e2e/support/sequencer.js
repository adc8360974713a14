const longestFirst = require('../../support/longestFirst');

/** Files that take half a minute and more: begun last they would hold up the whole run. */
module.exports = longestFirst([
	...[
		'triggerReceiver',
		'editorFields',
		'trigger',
		'hostile',
		'editorJourney',
		'start',
		'anything',
	],
	...['exampleCrashed', 'triggerQueued', 'exampleMcp', 'exampleAgent', 'crash', 'publishing'],
	...['exampleKilled', 'scanner', 'agentTools', 'soak', 'idempotency', 'exampleEvents', 'paidOnce'],
]);
