const fs = require('node:fs/promises');
const { dest, src } = require('gulp');

/** What TypeScript does not carry into the build: icons, and the codex files beside the nodes. */
const copyIcons = () => src('nodes/**/*.svg', { encoding: false }).pipe(dest('dist/nodes'));
const copyCodex = () => src('nodes/**/*.json').pipe(dest('dist/nodes'));

exports.clean = async () => await fs.rm('dist', { recursive: true, force: true });
exports.assets = (done) => require('gulp').parallel(copyIcons, copyCodex)(done);
