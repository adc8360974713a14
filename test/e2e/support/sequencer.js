const longestFirst = require('../../support/longestFirst');

/** Files that take half a minute and more: begun last they would hold up the whole run. */
module.exports = longestFirst([
	...[
		'triggerPolling',
		'lostAnswers',
		'lostExecutions',
		'crash',
		'triggerReceiver',
		'trigger',
		'hostile',
		'start',
		'triggerQueued',
	],
	...['editorJourney', 'editorFields', 'anything', 'exampleAgent', 'exampleMcp', 'idempotency'],
	...['exampleEvents', 'agentTools', 'soak', 'outputSchemas', 'credits', 'endpoints', 'retries'],
	...['media', 'sandboxPage', 'examples', 'failures', 'agentRun', 'paidOnce', 'scanner'],
]);
