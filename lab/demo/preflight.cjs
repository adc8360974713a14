'use strict';
// First file of `npm start`. It needs no dependency and no new syntax, so that an old Node or a missing
// install is one line instead of a stack, and --help works before an install.
var fs = require('fs');
var path = require('path');

var root = path.join(__dirname, '..', '..');
var oldest = 20;

function problem() {
	if (Number(process.versions.node.split('.')[0]) < oldest) {
		return 'Node.js ' + oldest + ' or newer is needed; this is ' + process.version + '.';
	}
	var manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
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
