const longestFirst = require('./longestFirst');

/** Files that take seconds: begun last they would keep one core busy and the other idle. */
module.exports = longestFirst([
	'sandbox/media',
	'lab/n8n/install',
	'sandbox/commandLine',
	'sandbox/model',
	'run/executions.model',
	'service/sharing',
	'run/outage',
	'run/nothingLost',
	'run/wholeRuns',
	'service/jobPoller',
	'run/paidOnce.model',
	'fields/everyValue',
]);
