/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { LabError } from '../process/failure';
import { freePort, isFree } from '../process/ports';
import { cleanEnvironment, startGuarded, type Guarded } from '../process/process';
import { newest, type Release } from './release';

/** How to start an n8n; all but its folder has a safe default. */
export interface N8nOptions {
	/** Which n8n; default: the newest. */
	release?: Release;
	/** What it keeps. */
	userFolder: string;
	/** Port of the editor and its REST interface; default: a free one. */
	port?: number;
	/** Variables that go over the lab's own. */
	env?: Record<string, string>;
	/** Few of n8n's modules, enough to run workflows: takes a quarter off a start. */
	lean?: boolean;
	/** No editor. */
	headless?: boolean;
	/** Where its output goes; default `n8n.log` in the user folder. */
	logFile?: string;
	/** Arguments of the n8n command line; default `start`. */
	args?: string[];
	/** How long a start may take; default 120 s (a first start takes about 13 s). */
	readyTimeoutMs?: number;
	/** Milliseconds between SIGTERM and SIGKILL when it is stopped; default 10,000. */
	graceMs?: number;
}

/** A running n8n. Its stop lets running executions finish for a while. */
export interface N8n extends Guarded {
	/** Such as `http://127.0.0.1:5678`, without a slash at the end. */
	baseUrl: string;
	port: number;
	userFolder: string;
	/** The folder that n8n's Read/Write Files node may read and write. */
	filesFolder: string;
	logFile: string;
}

/** A user folder for n8n in the system's temporary folder. */
export function temporaryUserFolder(): string {
	return mkdtempSync(path.join(os.tmpdir(), 'mediagen-n8n-'));
}

export function removeUserFolder(folder: string): void {
	// An n8n that has just ended may still write a file.
	rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * Starts n8n and waits until it answers.
 *
 * @throws LabError when the port is taken, or with n8n's last lines when it ends or hangs
 */
export async function startN8n(options: N8nOptions): Promise<N8n> {
	const { release = newest, readyTimeoutMs = 120_000, args = ['start'], graceMs } = options;
	const { port = await freePort(), userFolder, env } = options;
	const { logFile = path.join(userFolder, 'n8n.log') } = options;
	if (!(await isFree(port))) throw new LabError(`Port ${port} is in use by another program`);
	const filesFolder = path.join(userFolder, 'files');
	mkdirSync(filesFolder, { recursive: true });
	const own = await environmentOf(release, options);
	const baseUrl = `http://127.0.0.1:${port}`;
	const guarded = await startGuarded({
		name: 'n8n',
		command: release.node,
		args: [release.entry, ...args],
		cwd: userFolder,
		logFile,
		graceMs,
		readyTimeoutMs,
		env: { ...own, N8N_PORT: String(port), ...env },
		async isReady() {
			const signal = AbortSignal.timeout(5_000);
			const answer = await fetch(`${baseUrl}/healthz/readiness`, { signal }).catch(() => undefined);
			return answer?.ok ?? false;
		},
	});
	return { ...guarded, baseUrl, port, userFolder, filesFolder, logFile };
}

/** Modules of n8n that neither run workflows nor keep what is in them. */
const WITHOUT_WORKFLOWS = [
	'chat-hub',
	'instance-ai',
	'mcp',
	'oauth-server',
	'workflow-builder',
	'ldap',
	'provisioning',
	'sso-oidc',
	'sso-saml',
	'token-exchange',
	'source-control',
	'dynamic-credentials',
	'external-secrets',
	'oauth-jwe',
	'runtime-credentials',
	'breaking-changes',
	'insights',
	'instance-version-history',
	'log-streaming',
	'otel',
	'favorites',
	'n8n-packages',
	'quick-connect',
	'redaction',
	'workflow-reviews',
];

/** Nothing calls out, nothing asks, nothing listens beyond this machine. */
async function environmentOf(
	{ modules, node }: Release,
	{ userFolder, lean = false, headless = false }: N8nOptions,
): Promise<NodeJS.ProcessEnv> {
	const environment = cleanEnvironment();
	const off = [
		'DIAGNOSTICS',
		'VERSION_NOTIFICATIONS',
		'VERSION_NOTIFICATIONS_WHATS_NEW',
		'TEMPLATES',
		'PERSONALIZATION',
		'DYNAMIC_BANNERS',
		'HIRING_BANNER',
		'LICENSE_AUTO_RENEW',
		// Python's environment is not installed by npm, which n8n would complain of.
		'VERIFIED_PACKAGES',
		'PYTHON',
	];
	// Asked to switch off a module that it does not know, n8n exits.
	const folder = path.join(modules, 'n8n', 'dist', 'modules');
	const disabled = ['mcp-registry', ...(lean ? WITHOUT_WORKFLOWS : [])].filter((name) =>
		[name, `${name}.ee`].some((known) => existsSync(path.join(folder, known))),
	);
	return {
		...environment,
		...Object.fromEntries(off.map((name) => [`N8N_${name}_ENABLED`, 'false'])),
		N8N_DISABLED_MODULES: disabled.join(','),
		...(headless && { N8N_DISABLE_UI: 'true' }),
		// No isolate for an execution without expressions, which takes a quarter of the time of most.
		N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
		// An eighth less of a processor's time for a start, which is mostly loading modules.
		NODE_OPTIONS: '--max-semi-space-size=64',
		// First, so that `node` is the pinned one.
		PATH: [path.dirname(node), environment.PATH].join(path.delimiter),
		N8N_USER_FOLDER: userFolder,
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_RUNNERS_BROKER_PORT: String(await freePort()),
		N8N_SECURE_COOKIE: 'false',
		N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
		N8N_RESTRICT_FILE_ACCESS_TO: path.join(userFolder, 'files'),
	};
}
