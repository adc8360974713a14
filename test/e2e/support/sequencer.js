const longestFirst = require('../../support/longestFirst');

/**
 * Files that take half a minute and more: begun last they would hold up the whole run. Those with a browser, which
 * takes a processor, stand between those that mostly wait.
 */
module.exports = longestFirst([
	...[
		'exampleWait',
		'editorJourney',
		'trigger',
		'start',
		'editorFields',
		'crash',
		'lostExecutions',
	],
	...['exampleAgent', 'triggerReceiver', 'lostAnswers', 'triggerPolling', 'outputSchemas'],
	...['anything', 'triggerQueued', 'exampleMcp', 'sandboxPage', 'hostile', 'exampleEvents'],
	...['agentTools', 'soak', 'credits', 'endpoints', 'idempotency', 'media', 'examples', 'retries'],
	...['agentRun', 'paidOnce', 'scanner'],
]);
