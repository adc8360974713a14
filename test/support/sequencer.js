const longestFirst = require('./longestFirst');

/** Files that take seconds: begun last they would keep one core busy and the other idle. */
module.exports = longestFirst([
	'sandbox/media',
	'lab/n8n/install',
	'sandbox/commandLine',
	'sandbox/model',
	'creation/idempotency/lostRequests.model',
	'transport/sharing',
	'creation/run.outage',
	'creation/run.everyItem.model',
	'n8n/runOperation.wholeRuns',
	'transport/jobPoller',
	'creation/idempotency/paidOnce.model',
	'fields/rules.everyValue',
]);
