const longestFirst = require('../../support/longestFirst');

/** Files that take half a minute and more: begun last they would hold up the whole run. */
module.exports = longestFirst([
	...[
		'exampleWait',
		'trigger',
		'start',
		'crash',
		'lostAnswers',
		'triggerQueued',
		'lostExecutions',
		'triggerPolling',
		'triggerReceiver',
	],
	...['editorJourney', 'editorFields', 'exampleAgent', 'anything', 'exampleMcp', 'hostile'],
	...[
		'exampleEvents',
		'agentTools',
		'soak',
		'outputSchemas',
		'credits',
		'endpoints',
		'idempotency',
	],
	...['media', 'sandboxPage', 'examples', 'retries', 'agentRun', 'paidOnce', 'scanner'],
]);
