import { caughtBy, type Mutant } from './mutant';

/** What expressions give, what reaches the request, and what a credential holds. */
export const values: Mutant[] = [
	...caughtBy('test/fields/reservedNames.test.ts', {
		'values/moved-over-another-column': {
			why: 'An item that brings both `error` and `input_error` loses the latter.',
			from: 'columns[freeName(renamed(name), columns)] = json[name];',
			to: 'columns[renamed(name)] = json[name];',
		},
	}),
	...caughtBy('test/fields/reservedNames.test.ts', {
		'values/moved-under-the-result': {
			why: 'Where the Result Field is called `input_error`, the column `error` of an item is lost.',
			from: 'columnsOf({ ...json, [resultField]: undefined })',
			to: 'columnsOf(json)',
		},
	}),
	...caughtBy('test/fields/rules.test.ts', {
		'values/anything-is-true': {
			why: 'An expression that gives "no" or "off" switches an option on.',
			from: 'Object.hasOwn(FLAGS, text) ? FLAGS[text] : undefined',
			to: 'Object.hasOwn(FLAGS, text) ? FLAGS[text] : true',
		},
	}),
	...caughtBy('test/fields/rules.test.ts', {
		'values/smallest-number-refused': {
			why: 'Max Credits of 0 or a count of 1 is refused.',
			from: 'return number >= (min ?? -Infinity)',
			to: 'return number > (min ?? -Infinity)',
		},
	}),
	...caughtBy(['test/fields/rules.test.ts', 'test/fields/settings.test.ts'], {
		'values/minutes-are-seconds': {
			why: 'Wait Timeout of 30 minutes ends after 30 seconds, and every video is given up.',
			from: '(ruled.value as number) * MINUTE_MS',
			to: '(ruled.value as number) * 1_000',
		},
	}),
	...caughtBy('test/fields/rules.test.ts', {
		'values/seconds-taken-for-milliseconds': {
			why: 'A Unix time in seconds becomes a day in 1970, and the usage of 50 years is asked for.',
			from: 'const EARLIEST = 100_000_000_000;',
			to: 'const EARLIEST = 0;',
		},
		'values/timezone-of-the-server': {
			why: 'A time without an offset is taken in the timezone of the server instead of the workflow.',
			from: "text.replace(' ', 'T').replace(/ /g, ''), timezone)",
			to: "text.replace(' ', 'T').replace(/ /g, ''))",
		},
	}),
	...caughtBy('test/fields/rules.test.ts', {
		'values/empty-expression-left-out': {
			why: 'A field whose expression is misspelt is silently left out, and the wrong picture is paid for.',
			from: 'if (isNothing(value)) return required ? EMPTY : GIVES_NOTHING;',
			to: 'if (isNothing(value)) return required ? EMPTY : LEFT_OUT;',
		},
	}),
	...caughtBy(['test/n8n/check.test.ts', 'test/fields/settings.test.ts'], {
		'values/empty-guard-lifted': {
			why: 'An expression that gives an empty Max Credits takes the limit away, and all is spent.',
			from: 'const liftsGuard = guardsMoney && isEmptyText(value);',
			to: 'const liftsGuard = false;',
		},
	}),
	...caughtBy(
		['test/fields/buildRequest.test.ts', 'test/n8n/check.test.ts', 'test/fields/settings.test.ts'],
		{
			'values/hidden-field-counts': {
				why: 'A value of a field that the editor hides is sent, or fails the item.',
				from: 'if (!this.isShown(field)) return undefined;',
				to: '',
			},
		},
	),
	...caughtBy('test/fields/rules.test.ts', {
		'values/id-leaves-its-path': {
			why: 'An ID with a slash deletes something else than what was meant.',
			from: '/[/\\\\\\p{Cc}\\p{Surrogate}]|',
			to: '/[\\p{Cc}\\p{Surrogate}]|',
		},
		'values/prompt-is-trimmed': {
			why: 'Line breaks around the text of a song or a speech are lost.',
			from: 'const text = sendable(words);',
			to: 'const text = sendable(words).trim();',
		},
		'values/long-text-cut-by-emoji': {
			why: 'A text with emoji is refused as too long although it is not.',
			from: 'const length = [...text].length;',
			to: 'const length = text.length;',
		},
	}),
	...caughtBy('test/fields/rules.test.ts', {
		'values/half-an-emoji-is-sent': {
			why: 'A prompt that was cut in the middle of an emoji is refused by the service.',
			from: 'const UNSENDABLE = /[\\0\\p{Surrogate}]/gu;',
			to: 'const UNSENDABLE = /[\\0]/gu;',
		},
	}),
	...caughtBy('test/fields/rules.test.ts', {
		'values/too-many-inputs': {
			why: 'A second picture where one is allowed is sent, and the service refuses or drops it.',
			from: 'if (max !== undefined && items.length > max)',
			to: 'if (max !== undefined && items.length > max + 1)',
		},
	}),
	...caughtBy('test/fields/rules.test.ts', {
		'values/number-lost-in-json': {
			why: 'A failed calculation in Additional Fields becomes null without a word.',
			from: "(typeof member === 'number' && !Number.isFinite(member))",
			to: 'false',
		},
	}),
	...caughtBy('test/fields/buildRequest.test.ts', {
		'values/empty-update-is-sent': {
			why: 'An update whose expressions give nothing says that it has succeeded.',
			from: "if (method === 'PATCH' && Object.keys(body).length === 0) return NOTHING_SET;",
			to: '',
		},
	}),
	...caughtBy(['test/fields/buildRequest.test.ts', 'test/nodes/endpoints.test.ts'], {
		'values/path-is-not-encoded': {
			why: 'An ID with a question mark or a hash reads another resource.',
			from: '() => encodeURIComponent(String(value))',
			to: '() => String(value)',
		},
	}),
	...caughtBy('test/n8n/errors.shown.test.ts', {
		'values/code-replaces-a-message': {
			why: 'An error that names a file such as ENOENT.png says that a host was not found.',
			from: '\terror.messages = [];\n',
			to: '',
		},
		'values/failed-looks-stopped': {
			why: 'n8n shows a failed execution as stopped by hand, and no error workflow runs.',
			from: "message.replace(/canceled/g, 'Canceled')",
			to: 'message',
		},
		'values/list-error-of-n8n': {
			why: 'A list of the editor that fails says words of n8n instead of what is wrong.',
			from: 'asWritten(new NodeApiError(node, {}, { message }), message)',
			to: 'new NodeApiError(node, {}, { message })',
		},
		'values/operation-error-of-n8n': {
			why: 'A trigger that cannot be published says words of n8n instead of what to do.',
			from: 'asWritten(new NodeOperationError(node, message, more), message)',
			to: 'new NodeOperationError(node, message, more)',
		},
	}),
	...caughtBy('test/credentials/credentials.test.ts', {
		'values/limits-are-dropped': {
			why: 'n8n forgets which scopes a key has, and nothing is refused before it is sent.',
			from: '\t\t\tdefault: [],\n',
			to: "			default: [],\n			displayOptions: { show: { apiKey: [''] } },\n",
		},
	}),
	...caughtBy('test/transport/credential.test.ts', {
		'values/scopes-as-text': {
			why: 'Scopes that are no list limit nothing, without a word.',
			from: "if (Array.isArray(scopes) || scopes === undefined || scopes === null || scopes === '')",
			to: "if (Array.isArray(scopes) || typeof scopes !== 'object')",
		},
		'values/no-scope-is-none': {
			why: 'A credential without chosen scopes refuses everything.',
			from: 'if (!Array.isArray(scopes) || scopes.length === 0)',
			to: 'if (!Array.isArray(scopes))',
		},
		'values/scopes-turned-around': {
			why: 'Where scopes are chosen, what the key may do is refused.',
			from: '!scopes.includes(scope)',
			to: 'scopes.includes(scope)',
		},
		'values/bearer-twice': {
			why: 'A key that was copied with "Bearer" is refused.',
			from: 'for (let layer = 0; layer < 8; layer += 1)',
			to: 'for (let layer = 0; layer < 0; layer += 1)',
		},
	}),
	...caughtBy('test/transport/credential.test.ts', {
		'values/key-to-another-host': {
			why: 'An HTTP Request node that uses the credential sends the key to any host.',
			from: 'target.origin === base.origin && ',
			to: '',
		},
	}),
	...caughtBy('test/transport/credential.maskSecret.test.ts', {
		'values/short-keys-are-shown': {
			why: 'A service that repeats the key in an error puts it into the output and the log.',
			from: 'secret.length < SHORTEST',
			to: 'secret.length < 80',
		},
		'values/key-on-a-page-is-shown': {
			why: 'A key with & or < is shown by the error page of a gateway.',
			from: 'NAMED[character]];',
			to: 'undefined];',
		},
	}),
	...caughtBy('test/wire/answers.test.ts', {
		'values/key-follows-a-redirect': {
			why: 'n8n carries the key along to wherever a redirect leads.',
			from: 'disableFollowRedirect: true,',
			to: 'disableFollowRedirect: false,',
		},
	}),
	...caughtBy(['test/transport/credential.test.ts', 'test/transport/credential.baseUrl.test.ts'], {
		'values/password-in-the-address': {
			why: 'A base URL with a user name is taken, and shown in errors.',
			from: 'if (url.username || url.password)',
			to: 'if (url.username && url.password)',
		},
	}),
	...caughtBy('test/creation/firstModel.test.ts', {
		'values/first-model-of-any-mode': {
			why: 'A video is asked of the first model of all, which makes images.',
			from: 'path: ENDPOINTS.listModels.path, query }',
			to: 'path: ENDPOINTS.listModels.path }',
		},
	}),
];
