const fs = require('node:fs');

/** What TypeScript does not carry into the build: icons, codex files and output schemas beside the nodes. */
const isAsset = (file) => fs.statSync(file).isDirectory() || /\.(svg|json)$/.test(file);

/** The link that `npm pack` writes through: see .npmrc. */
const packLink = 'dist/run-npm-run-build-first';

const steps = {
	clean: () => fs.rmSync('dist', { recursive: true, force: true }),
	assets: () => {
		fs.cpSync('nodes', 'dist/nodes', { recursive: true, filter: isAsset });
		fs.rmSync(packLink, { force: true });
		fs.symlinkSync('..', packLink, 'junction');
	},
};

steps[process.argv[2]]();
