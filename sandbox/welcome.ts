import { SCOPES } from '../src/api';
import type { KeyInfo } from './createService';
import type { Sandbox } from './server';

/** What people are told when the sandbox is ready: where it is, how to use it, and what is open. */
export function welcome(sandbox: Sandbox): string {
	const { baseUrl, pageUrl, adminUrl, keys, seed, openTo } = sandbox;
	const [first] = keys as [KeyInfo];
	return [
		'The sandbox of the Media Generation Service is ready. Nothing here costs anything.',
		'',
		`  Base URL   ${baseUrl}`,
		`  API key    ${first.key}`,
		'',
		'In n8n: add a credential "MediaGen API" with this key and this base URL.',
		'',
		'Without n8n, a first picture with curl:',
		'',
		...firstPicture(sandbox, first.key),
		'',
		'All keys:',
		...keys.map(keyLine),
		'',
		`  Page       ${pageUrl}`,
		`  Admin      ${adminUrl}`,
		`  Seed       ${seed}`,
		'',
		...whatIsOpen(openTo),
		'Ctrl-C ends it.',
	].join('\n');
}

/** Three calls to be copied as they are: create, poll, download. */
function firstPicture({ baseUrl, service }: Sandbox, key: string): string[] {
	const { jobSeconds, jobJitter, clockScale } = service.settings;
	const seconds = Math.ceil((jobSeconds.image * (1 + jobJitter)) / clockScale);
	const headers = `-H "Authorization: Bearer ${key}"`;
	const body = '{"mode": "image", "model": "studio/image-1", "prompt": "A lighthouse at dusk"}';
	const id = `$(grep -o 'gen_[0-9a-f]*' job.json | head -n 1)`;
	const url = `$(grep -o 'http[^"]*png' job.json)`;
	return [
		'# 1. Create a job; the answer has its id',
		`curl -sS ${baseUrl}/generations ${headers} -H "Content-Type: application/json" -d '${body}' -o job.json`,
		`# 2. Poll it, after about ${seconds} s, until its status is "completed"`,
		`sleep ${seconds}`,
		`curl -sS "${baseUrl}/generations/${id}" ${headers} -o job.json`,
		'# 3. Download the picture',
		`curl -sS "${url}" -o picture.png`,
	];
}

function keyLine({ key, workspace, scopes, entitled }: KeyInfo): string {
	const what = scopes.length === SCOPES.length ? 'all scopes' : scopes.join(' ');
	return `  ${key.padEnd(22)} ${workspace}${entitled ? '' : ' (not entitled)'}: ${what}`;
}

function whatIsOpen(openTo: string | undefined): string[] {
	if (openTo === undefined) return [];
	return [
		`It listens at ${openTo}: whoever reaches that address can use it, with the keys above and, without a key,`,
		'the page and the admin path, which show all keys, requests and files and change and reset everything.',
		'Requests for another host name than its own are refused.',
		'',
	];
}
