const longestFirst = require('./longestFirst');

/** Files that take seconds: begun last they would keep one core busy and the other idle. */
module.exports = longestFirst([
	...[
		'sandbox/fuzz',
		'sandbox/media',
		'test/architecture',
		'sandbox/commandLine',
		'run/paidOnce.model',
	],
	...['nodes/splitText', 'run/runner', 'jobs/simulation', 'sandbox/persistence', 'run/lostAnswers'],
	...[
		'nodes/anything',
		'description/anyCatalogue',
		'run/outage',
		'run/credits.model',
		'events/stripe',
	],
]);
