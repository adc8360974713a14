const longestFirst = require('../../support/longestFirst');

/** Files that take minutes, mostly waiting: begun last they would hold up the whole run. */
module.exports = longestFirst([
	...['triggerQueued', 'trigger', 'editorJourney', 'crash', 'hostile', 'start', 'paidOnce'],
	...['editorFields', 'triggerReceiver', 'agentTools', 'soak', 'exampleKilled', 'triggerLost'],
]);
