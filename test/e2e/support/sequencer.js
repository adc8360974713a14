const longestFirst = require('../../support/longestFirst');

/** Files that take minutes, mostly waiting: begun last they would hold up the whole run. */
module.exports = longestFirst([
	...['triggerQueued', 'agentTools', 'trigger', 'hostile', 'editorFields', 'editorJourney'],
	...['triggerReceiver', 'triggerLost', 'start', 'exampleKilled', 'crash', 'paidOnce', 'soak'],
]);
