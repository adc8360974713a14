import { installCause } from '../../../lab/n8n/install';

// What npm 11 printed where python3, make or g++ were taken away: the driver is compiled only after
// its download has failed, so a word of the network is always there too.
const download = 'npm error prebuild-install warn install getaddrinfo ENOTFOUND github.com\n';

test.each([
	['python3', `${download}npm error gyp ERR! find Python Python is not set from command line`],
	['make', `${download}npm error gyp ERR! stack Error: not found: make`],
	['g++', `${download}npm error make: *** [nothing.target.mk:104: nothing.o] Error 127`],
	['Xcode', 'gyp: No Xcode or CLT version detected!'],
])('a machine without %s is told to install a compiler', (_, output) => {
	expect(installCause({ code: 1, output })).toMatch(/no compiler was found; install one/);
});

test.each([
	['npm error code ENOTFOUND', /registry cannot be reached; check the network/],
	['npm error EACCES: permission denied, mkdir', /no permission to write into lab\/node_modules/],
	['npm error nospc ENOSPC: no space left on device', /disk is full: free some space/],
	['npm error something else', /npm ended with code 7/],
])('%s', (output, cause) => {
	expect(installCause({ code: 7, output })).toMatch(cause);
});
