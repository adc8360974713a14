'use strict';
// First file of `npm start`. It needs no dependency and no new syntax, so that an old Node or a missing
// install is one line instead of a stack, and --help works before an install.
var fs = require('fs');
var path = require('path');

var root = path.join(__dirname, '..', '..');

/** Whether this Node is at least one such as `20.19`. */
function isNewEnough(oldest) {
	var wanted = oldest.split('.').map(Number);
	var here = process.versions.node.split('.').map(Number);
	return here[0] > wanted[0] || (here[0] === wanted[0] && here[1] >= wanted[1]);
}

function problem() {
	var manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
	var oldest = manifest.engines.node.replace('>=', '');
	if (!isNewEnough(oldest)) {
		return 'Node.js ' + oldest + ' or newer is needed; this is ' + process.version + '.';
	}
	var missing = Object.keys(manifest.devDependencies).filter(function (name) {
		return !fs.existsSync(path.join(root, 'node_modules', name, 'package.json'));
	});
	if (missing.length > 0) {
		return 'The install is incomplete (' + missing[0] + ' is missing): run npm ci first.';
	}
	return undefined;
}

if (process.argv.includes('--help') || process.argv.includes('-h')) {
	console.log(fs.readFileSync(path.join(__dirname, 'usage.txt'), 'utf8').trimEnd());
	process.exit(0);
}
var found = problem();
if (found) {
	console.error(found);
	process.exit(1);
}
import('tsx').then(function () {
	require('./main.ts');
});
