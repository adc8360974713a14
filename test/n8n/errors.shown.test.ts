/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { NodeApiError } from 'n8n-workflow';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../../lab/process/paths';
import { ENDPOINTS } from '../../src/api';
import { fail } from '../../src/base/result';
import { apiError, asWritten, nodeError, operationError } from '../../src/n8n/output/errors';
import { NODE } from '../support/nodeContext';

const sources = ['src', 'nodes', 'credentials'].flatMap((folder) =>
	readdirSync(path.join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.ts'))
		.map((file) => path.join(folder, file)),
);

test('errors for n8n are made in one place', () => {
	const makers = sources.filter((file) =>
		/new Node(Api|Operation)Error\(/.test(readFileSync(path.join(projectRoot, file), 'utf8')),
	);
	expect(makers.sort()).toEqual(['src/n8n/output/errors.ts']);
});

/** Whoever throws, and how it is made of a text. */
const DOORS: Array<[door: string, make: (text: string) => Error]> = [
	['a node or a trigger', (text) => operationError(NODE, text)],
	['a list of the editor', (text) => apiError(NODE, text)],
	['a trigger that the service refuses', (text) => asWritten(new NodeApiError(NODE, {}), text)],
	[
		'an item',
		(text) =>
			nodeError(NODE, fail({ kind: 'input', field: text, problem: '' }), {
				endpoint: ENDPOINTS.getJob,
				itemIndex: 0,
			}),
	],
];

/** What n8n takes for a code that it knows, and what makes it show a failed run as stopped by hand. */
const TEXTS = [
	'The file ENOENT.png',
	'ECONNREFUSED',
	'It was not possible to open enotdir',
	'a list of eperm, eexist and getaddrinfo',
];

describe.each(DOORS)('of %s', (_, make) => {
	test.each(TEXTS)('a message is shown as it is written: %s', (text) => {
		const { message, ...error } = make(text) as Error & { messages: string[] };
		expect(message.trim()).toBe(text);
		expect(error.messages).toEqual([]);
	});

	test('a message never makes a failed run look as if it was stopped by hand', () => {
		expect(make('The job was canceled').message.trim()).toBe('The job was Canceled');
	});
});
