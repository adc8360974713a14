const longestFirst = require('./longestFirst');

/** Files that take seconds: begun last they would keep one core busy and the other idle. */
module.exports = longestFirst([
	...['sandbox/media', 'lab/n8n/install', 'sandbox/commandLine'],
	...['sandbox/model', 'service/simulation', 'run/executions.model', 'service/sharing'],
	...['run/outage', 'run/nothingLost', 'run/wholeRuns', 'test/architecture', 'service/jobPoller'],
	...['lab/process/process', 'repository/waits', 'run/paidOnce.model', 'fields/everyValue'],
]);
