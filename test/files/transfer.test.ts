import { transferUrlProblem } from '../../src/files/transfer';

const PUBLIC = 'https://api.example/v1';
const LOCAL = 'http://127.0.0.1:4010/v1';

const PRIVATE = 'the address is in a private network';
const PLAIN = 'the address is not https';

test.each([
	['https://media.example/cat.png', PUBLIC, undefined],
	['http://media.example/cat.png', PUBLIC, PLAIN],
	['https://127.0.0.1/cat.png', PUBLIC, PRIVATE],
	['https://169.254.169.254/latest/meta-data', PUBLIC, PRIVATE],
	['http://127.0.0.1:4010/cat.png', LOCAL, undefined],
	['http://10.0.0.1/cat.png', LOCAL, PLAIN],
	['https://10.0.0.1/cat.png', 'https://10.0.0.5/v1', undefined],
	['nonsense', PUBLIC, 'the address is not a URL'],
])('transfer to %s for the service at %s: %p', (url, baseUrl, problem) => {
	expect(transferUrlProblem(url, baseUrl)).toBe(problem);
});
