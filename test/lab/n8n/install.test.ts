/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { installCause, withHeaders } from '../../../lab/n8n/install';

// What npm 11 printed where python3, make or g++ were taken away: the driver is compiled only after
// its download has failed, so a word of the network is always there too.
const download = 'npm error prebuild-install warn install getaddrinfo ENOTFOUND github.com\n';

test.each([
	['python3', `${download}npm error gyp ERR! find Python Python is not set from command line`],
	['make', `${download}npm error gyp ERR! stack Error: not found: make`],
	['g++', `${download}npm error make: *** [nothing.target.mk:104: nothing.o] Error 127`],
	['Xcode', 'gyp: No Xcode or CLT version detected!'],
])('a machine without %s is advised to install a compiler', (_, output) => {
	expect(installCause({ code: 1, output })).toMatch(/no compiler was found; install one/);
});

test('a machine with a compiler that reaches neither github.com nor nodejs.org gets a message that says so', () => {
	const output = `${download}npm error gyp info find Python using Python version 3.11.2
npm error gyp http GET https://nodejs.org/download/release/v24.21.0/node-v24.21.0-headers.tar.gz
npm error gyp ERR! stack is related to network connectivity. In most cases you are behind a proxy or have bad`;
	expect(installCause({ code: 1, output })).toMatch(
		/nor the headers of Node from nodejs.org; allow/,
	);
});

describe('the headers that the driver is compiled against', () => {
	let root: string;
	let node: string;

	beforeEach(() => {
		root = mkdtempSync(path.join(tmpdir(), 'mediagen-headers-'));
		node = path.join(root, 'bin', 'node');
	});

	afterEach(() => rmSync(root, { recursive: true }));

	const withFiles = () => {
		mkdirSync(path.join(root, 'include', 'node'), { recursive: true });
		writeFileSync(path.join(root, 'include', 'node', 'node_api.h'), '');
	};

	test('are those of the running Node where it has some', () => {
		expect(withHeaders({ A: '1' }, node, 'linux')).toEqual({ A: '1' });
		withFiles();
		expect(withHeaders({ A: '1' }, node, 'linux')).toEqual({ A: '1', npm_config_nodedir: root });
	});

	test('are the ones that somebody has chosen, and downloaded on Windows', () => {
		withFiles();
		const chosen = { npm_config_nodedir: '/opt/node' };
		expect(withHeaders(chosen, node, 'linux')).toEqual(chosen);
		expect(withHeaders({}, node, 'win32')).toEqual({});
	});
});

test.each([
	['npm error code ENOTFOUND', /registry cannot be reached; check the network/],
	['npm error EACCES: permission denied, mkdir', /no permission to write into lab\/node_modules/],
	['npm error nospc ENOSPC: no space left on device', /disk is full: free some space/],
	['npm error something else', /npm ended with code 7/],
])('%s', (output, cause) => {
	expect(installCause({ code: 7, output })).toMatch(cause);
});
