import { caughtBy, type Mutant } from './mutant';

/** Files up and down: where they may go, whether they are whole, what they are, what they are called. */
export const files: Mutant[] = [
	...caughtBy('test/n8n/executionFiles.test.ts', {
		'files/read-for-each-item': {
			why: 'A batch of thousands reads all outputs of the execution for each of its items.',
			from: 'files ??= readFiles(context, isCombined);',
			to: 'files = readFiles(context, isCombined);',
		},
	}),
	...caughtBy('test/n8n/executionFiles.test.ts', {
		'files/id-in-a-text': {
			why: 'Whoever calls a webhook with the id of a file of somebody else has it uploaded.',
			from: 'isCombined ? filesOf(item) : binary;',
			to: 'filesOf(item);',
		},
		'files/only-nodes-before': {
			why: 'The file of a node that stands beside is refused, although the expression names it.',
			from: 'return new Set([...before, ...named]);',
			to: 'return new Set(before);',
		},
		'files/only-named-nodes': {
			why: 'The file of a node before is refused where the expression leads through a json.',
			from: 'return new Set([...before, ...named]);',
			to: 'return new Set(named);',
		},
		'files/first-run-only': {
			why: 'In a loop, files of its second round are refused.',
			from: 'runIndex <= lastRun',
			to: 'runIndex < 1',
		},
		'files/first-output-only': {
			why: 'A file behind the second output of a Switch is refused.',
			from: 'for (let output = 0; ; output += 1)',
			to: 'for (let output = 0; output < 1; output += 1)',
		},
		'files/any-of-two': {
			why: 'Of two files that are alike but for their data, the wrong one is sent.',
			from: 'return same.length === 1 ? same[0] : undefined;',
			to: 'return same[0];',
		},
		'files/data-does-not-tell': {
			why: 'A file in memory that somebody has only written is taken for one of the execution.',
			from: 'data === undefined || file.data === data',
			to: 'true',
		},
		'files/names-with-quotes': {
			why: 'The file of a node with a quote in its name is refused.',
			from: "quoted.replace(/\\\\(.)/g, '$1')",
			to: 'quoted',
		},
		'files/two-of-one-name': {
			why: 'Two files of one field are uploaded under one name, and one of them is sent for both.',
			from: 'this.named.set(fieldOfNode, number);',
			to: '',
		},
	}),
	...caughtBy('test/wire/transfers.test.ts', {
		'files/key-sent-to-a-storage': {
			why: 'Whoever stores the files, or a redirect of theirs, gets the key of the workspace.',
			from: 'helpers.httpRequest({',
			to: 'helpers.httpRequestWithAuthentication.call(context.functions, CREDENTIAL, {',
		},
		'files/content-type-of-the-library': {
			why: 'The HTTP library adds a content type that the presigned address does not sign: uploads are refused.',
			from: "headers['Content-Type'] = false;",
			to: "headers['X-Other'] = 'x';",
		},
	}),
	...caughtBy('test/n8n/n8nHost.headers.test.ts', {
		'files/execution-told-to-all': {
			why: 'The service on the internet learns the address of n8n and how many executions it has.',
			from: 'isLocal ? addressOf(functions) : undefined',
			to: 'addressOf(functions)',
		},
	}),
	...caughtBy('test/transport/jobState.test.ts', {
		'files/some-outputs-are-all': {
			why: 'A list that shows the first of four pictures ends the wait with it, and the others are not downloaded.',
			from: "job.status === 'completed' ? Math.max(1, outputCount(job)) : 1",
			to: '1',
		},
	}),
	...caughtBy(['test/files/transfer.download.test.ts', 'test/files/upload.test.ts'], {
		'files/redirect-into-the-house': {
			why: 'A storage redirects n8n to an address in the private network, and gets at what only n8n can reach.',
			from: 'transferUrlProblem(url, baseUrl);',
			to: 'transferUrlProblem(start, baseUrl);',
		},
		'files/endless-redirects': {
			why: 'A storage that redirects in a circle is asked fifty times in each attempt.',
			from: 'const MAX_HOPS = 5;',
			to: 'const MAX_HOPS = 50;',
		},
	}),
	...caughtBy(['test/base/urls.test.ts', 'test/files/transfer.test.ts'], {
		'files/metadata-address': {
			why: 'A link can lead to the metadata service of a cloud, which hands out credentials.',
			from: '(first === 169 && second === 254) ||',
			to: '',
		},
		'files/private-network-cut-short': {
			why: 'A link may lead into the upper end of a private network.',
			from: 'second >= 16 && second < 32',
			to: 'second >= 16 && second < 31',
		},
		'files/dot-at-the-end-of-localhost': {
			why: '`localhost.` counts as a public host, and a link to it reaches what runs beside n8n.',
			from: "hostname.replace(/\\.$/, '')",
			to: 'hostname',
		},
		'files/plain-http-anywhere': {
			why: 'Media and keys go out unencrypted to any host.',
			from: "addressKind(hostname) === 'loopback' && isLocalService(baseUrl)",
			to: 'isLocalService(baseUrl)',
		},
	}),
	...caughtBy('test/creation/run.silentStorage.test.ts', {
		'files/silent-storage-is-asked-for-hours': {
			why: 'A storage that gives no answer is asked for each of 200 files, four times for two minutes.',
			from: 'if (silence.awayAt >= since) return AWAY;',
			to: '',
		},
	}),
	...caughtBy('test/files/transfer.download.test.ts', {
		'files/part-taken-for-the-whole': {
			why: 'A 206 with a part of the video is stored as the video.',
			from: 'if (response.status === 200) return await storeBody',
			to: 'if (isSuccess(response.status)) return await storeBody',
		},
		'files/endless-file': {
			why: 'A file without an end fills the disk of n8n.',
			from: 'if (bytes > MAX_FILE_BYTES)\n',
			to: 'if (bytes < 0)\n',
		},
		'files/empty-file-is-one': {
			why: 'An empty answer of the storage becomes a picture of 0 bytes.',
			from: "if (head.length === 0) return transientFailure('the file is empty');",
			to: '',
		},
		'files/error-page-as-picture': {
			why: 'A page that says that the link has expired ends the download, instead of asking for a new link.',
			from: "if (typeof type !== 'string') return type;",
			to: "if (typeof type !== 'string') return stop('a page');",
		},
		'files/expired-link-is-tried': {
			why: 'A link that is known to have expired is tried first.',
			from: 'refusals > 0 || hasExpired ?',
			to: 'refusals > 0 ?',
		},
		'files/stalled-for-ever': {
			why: 'A download that trickles holds one of five places for two hours.',
			from: 'if (bytes - before < MIN_BYTES)',
			to: 'if (bytes < 0)',
		},
	}),
	...caughtBy('test/files/upload.test.ts', {
		'files/half-uploaded-is-there': {
			why: 'A file that arrived in part counts as uploaded, and the job is made from half a picture.',
			from: 'response.status === 200 && response.length === size',
			to: 'response.status === 200',
		},
		'files/used-up-address-again': {
			why: 'A new upload address is asked for under the old key, so that the used-up one comes back.',
			from: '`${owner}-${number}`',
			to: 'owner',
		},
	}),
	...caughtBy('test/creation/sentFiles.test.ts', {
		'files/once-for-each-row': {
			why: 'A hundred rows with the same logo send it a hundred times.',
			from: 'if (!others) break;',
			to: 'break;',
		},
		'files/one-failure-for-all': {
			why: 'One upload that fails takes with it all rows that have waited for it.',
			from: 'if (hasFailed) return sent;',
			to: 'return sent;',
		},
		'files/dropped-by-the-service': {
			why: 'Whatever the service says of how long it keeps a file, jobs name it for a day.',
			from: ' && until > now',
			to: '',
		},
	}),
	...caughtBy('test/creation/sentFiles.test.ts', {
		'files/upload-ends-before-request': {
			why: 'A request whose file was first sent a day ago names another URL under its key, and is refused.',
			from: 'if (requestNameForOthers !== undefined) elsewhere.push',
			to: 'if (requestNameForOthers === null) elsewhere.push',
		},
	}),
	...caughtBy('test/creation/sentFiles.test.ts', {
		'files/own-key-other-body': {
			why: 'Under one Own Key two executions name other URLs of one file, and the second is refused for a day.',
			from: "readonly uploadOwner = 'own key';",
			to: 'get uploadOwner() { return this.item.nodeMemory.runId; }',
		},
	}),
	...caughtBy('test/files/upload.test.ts', {
		'files/authorization-for-a-storage': {
			why: 'The service can make n8n send an Authorization of its choice to any host.',
			from: "\t'authorization',\n",
			to: '',
		},
	}),
	...caughtBy('test/files/fileTypes.test.ts', {
		'files/stated-type-wins': {
			why: 'A JPEG that is stated as PNG gets the wrong ending and the wrong type, and other programs refuse it.',
			from: 'if (isMedium) return { type: likely };',
			to: 'if (isMedium) return { type: claim ?? likely };',
		},
		'files/type-with-parameters': {
			why: '`audio/wav; rate=44100` is an unknown type, and the file ends in .bin.',
			from: "asText(value).split(';')",
			to: '[asText(value)]',
		},
		'files/sound-in-any-archive': {
			why: 'An archive or a picture that is called x.mp3 is sent as sound, and paid for.',
			from: 'found.length === 0 ? typesThat',
			to: 'found.length >= 0 ? typesThat',
		},
	}),
	...caughtBy('test/files/fileTypes.test.ts', {
		'files/one-frame-is-sound': {
			why: 'Whatever is compressed or encrypted is taken for sound.',
			from: 'if (length > 0 && SOUND_FRAME.test(next) && isSameSound) return true;',
			to: 'if (length > 0) return true;',
		},
	}),
	...caughtBy('test/base/fileNames.test.ts', {
		'files/name-leaves-its-folder': {
			why: 'A name with backslashes is written elsewhere on Windows.',
			from: "Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\\\'))",
			to: "text.lastIndexOf('/')",
		},
		'files/name-reads-backwards': {
			why: 'A name can hide its true ending behind characters that turn the direction of writing.',
			from: '\\u202a-\\u202e',
			to: '',
		},
		'files/name-of-a-device': {
			why: 'A file called `con.png` cannot be stored on Windows.',
			from: 'RESERVED.test(clean) ? `_${clean}` : clean',
			to: 'clean',
		},
	}),
	...caughtBy('test/creation/uploads.test.ts', {
		'files/order-makes-another-request': {
			why: 'The same request with its fields in another order has another key, and is paid for again.',
			from: '.sort(([one], [other]) => (one < other ? -1 : 1));\n\t\treturn',
			to: ';\n\t\treturn',
		},
	}),
	...caughtBy('test/creation/outputs.test.ts', {
		'files/fetched-again-on-retry': {
			why: 'Retry On Fail downloads and stores every file of the run again.',
			from: 'findOnce(files, name, load, (one) => !one.ok)',
			to: 'load()',
		},
		'files/failed-download-is-kept': {
			why: 'A file that could not be fetched once is never asked for again by the tries of the execution.',
			from: 'load, (one) => !one.ok',
			to: 'load',
		},
	}),
	...caughtBy('test/files/upload.test.ts', {
		'files/saved-error-page-is-sent': {
			why: 'An empty file is uploaded, and the job that is made from it is paid for.',
			from: "if (size === 0) return 'its file is empty';",
			to: '',
		},
	}),
];
