const longestFirst = require('../../support/longestFirst');

/**
 * Files that take half a minute and more: begun last they would hold up the whole run. The one with a
 * browser, which takes a processor, stands between those that mostly wait.
 */
module.exports = longestFirst([
	'trigger',
	'editor',
	'exampleWait',
	'crash',
	'start',
	'lostExecutions',
	'nodes',
	'triggerReceiver',
	'triggerQueued',
	'storages',
	'lostAnswers',
	'hostile',
	'paidOnceTable',
	'paidOnce',
	'agentTools',
	'outputSchemas',
	'exampleBatch',
	'exampleMcp',
	'exampleForms',
	'media',
	'sandboxPage',
	'examples',
	'scanner',
]);
