const longestFirst = require('./longestFirst');

/** Files that take seconds: begun last they would keep one core busy and the other idle. */
module.exports = longestFirst([
	'sandbox/fuzz',
	'operations/paidOnce.model',
	'jobs/simulation',
	'operations/creditCap.model',
	'operations/lostAnswers',
	'sandbox/commandLine',
	'sandbox/media/render',
]);
