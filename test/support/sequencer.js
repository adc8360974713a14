const longestFirst = require('./longestFirst');

/** Files that take seconds: begun last they would keep one core busy and the other idle. */
module.exports = longestFirst([
	...['sandbox/fuzz', 'run/outage', 'sandbox/media', 'sandbox/commandLine', 'run/credits.model'],
	...['run/paidOnce.model', 'jobs/simulation', 'run/hangs', 'run/paidOnce', 'items/runner'],
	...['sandbox/persistence', 'run/wholeRuns', 'nodes/splitText', 'test/architecture'],
	...['run/lostAnswers', 'nodes/anything', 'Trigger/receive'],
]);
