import { quoted } from '../../src/base/texts';
import type { UnsentReason } from '../../src/base/types';
import { wordsOfAnswer, wordsOfNoResponse } from '../../src/n8n/output/answerWords';
import { errorOf } from '../../src/transport/statuses';

test('a redirect says where it leads, without a query, and what to enter', () => {
	const words = (location: string) => wordsOfAnswer(308, errorOf('', { location })).join('. ');
	expect(words('https://new.example/api/v1/generations?token=x')).toBe(
		'The service answered with status 308, which leads to https://new.example/api/v1/generations. If that is the address of the API, enter https://new.example/api/v1 as the base URL of the credential.',
	);
	for (const location of ['/login', 'http://new.example/v1/models', 'https://new.example/login'])
		expect(words(location)).toMatch(/leads to \S+\. Check the base URL of the credential\.$/);
	expect(wordsOfAnswer(400, errorOf('', { location: '/x' }))).toEqual(wordsOfAnswer(400, {}));
});

test('what is said of a foreign page is nothing of the key, the scope or an ID', () => {
	const page = errorOf('<html><body>No route</body></html>');
	for (const status of [200, 400, 401, 402, 403, 404, 409, 429, 500, 503]) {
		const words = wordsOfAnswer(status, page, { scope: 'models:read', hasId: true }).join(' ');
		expect(words).toMatch(/^A proxy or another server answered .*\(status \d+\)/);
		expect(words).not.toMatch(/scope|key|ID/);
	}
});

test('what was never sent says why, and what to do about that', () => {
	const CURES: Record<UnsentReason, RegExp> = {
		connection: /cannot be reached.*base URL.*network/,
		certificate: /certificate/,
		local: /could not send.*Check the credential/,
		noTurn: /was not sent.*again in a minute/,
		keyExpired: /not sent again.*Look at the service for its job/,
	};
	for (const [unsent, cure] of Object.entries(CURES)) {
		const noResponse = { noResponse: 'x', unsent: unsent as UnsentReason };
		expect(wordsOfNoResponse(noResponse).join('. ')).toMatch(cure);
	}
});

test('a value that is shown shows no password of an address', () => {
	expect(quoted('see https://me:pass%20@w@rd@files.example/a.png')).toBe(
		'"see https://…@files.example/a.png"',
	);
	expect(quoted({ url: 'http://me:secret@files.example' })).not.toContain('secret');
});
