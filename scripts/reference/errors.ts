/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../../lab/process/paths';
import type { ShownNode } from './readNodes';
import { table } from './table';

/** What a node does that something can go wrong with. */
interface Abilities {
	isTrigger: boolean;
	/** Takes events of the service. */
	takesEvents: boolean;
	readsById: boolean;
	creates: boolean;
	updates: boolean;
	spends: boolean;
	waits: boolean;
	downloads: boolean;
	uploads: boolean;
}

function abilitiesOf({ description, operations }: ShownNode): Abilities {
	const specs = operations.map(({ operation }) => operation.spec);
	const fields = operations
		.flatMap(({ operation }) => operation.fields)
		.flatMap((field) => [field, ...(field.fields ?? [])])
		.map(({ ui }) => ui);
	const has = (name: string) => fields.some((field) => field.name === name);
	const isTrigger = description.group.includes('trigger');
	return {
		isTrigger,
		takesEvents: description.webhooks !== undefined,
		readsById: specs.some(({ endpoint }) => endpoint.path.includes('{id}')),
		creates: has('idempotency'),
		updates: has('updateFields'),
		spends: specs.some(({ endpoint }) => endpoint.extra.includes(402)),
		waits: has('waitTimeout'),
		downloads: has('downloadOutputs') || isTrigger,
		uploads:
			specs.some(({ output }) => output === 'file') ||
			fields.some(({ modes = [] }) => modes.some(({ name }) => name === 'binary')),
	};
}

type Concerns = (abilities: Abilities) => boolean;

const all: Concerns = () => true;
const operations: Concerns = ({ isTrigger }) => !isTrigger;
const eventTrigger: Concerns = ({ isTrigger, takesEvents }) => isTrigger && takesEvents;
const pollingTrigger: Concerns = ({ isTrigger, takesEvents }) => isTrigger && !takesEvents;

/** What only *Test* in a credential says, never a node. */
const TEST_RESULTS = [
	'The base URL …',
	'The API key …',
	'The base URL did not respond',
	'Nothing was found at the base URL',
	'The API key is invalid.',
	'The service answered with status ….',
	'The key is valid, but',
	'Enter the signing secret',
	'The secret begins or ends',
];

/** Which nodes each message of docs/troubleshooting.md concerns, by how it begins. */
export const CONCERNS: Array<[beginning: string, concerns: Concerns]> = [
	['… must be …', operations],
	['… is empty', operations],
	['… cannot be evaluated', operations],
	['… has … characters', operations],
	['… takes at most … items', ({ uploads }) => uploads],
	['… is not a URL', ({ uploads }) => uploads],
	['… must begin with https://', ({ uploads }) => uploads],
	['… names the binary field', ({ uploads }) => uploads],
	['… is not a valid ID', ({ readsById }) => readsById],
	['… is nested more than', ({ creates }) => creates],
	['… contains the key', ({ creates }) => creates],
	['Update Fields has nothing', ({ updates }) => updates],
	['… may only contain printable', ({ creates }) => creates],
	['Idempotency Key is the same for', ({ creates }) => creates],
	['Idempotency Key belongs to another', ({ creates }) => creates],
	['… combines an argument of the AI', operations],
	['The credential is limited to scopes', all],
	['Not sent: …', operations],
	['The execution was cancelled', operations],
	['The service cannot be reached', all],
	['The certificate of the service', all],
	['n8n could not send the request', all],
	['The service did not respond', all],
	['The answer of the service cannot be used', all],
	['The service answered with status', all],
	['The service refused the request as invalid', operations],
	['The API key is invalid or missing', all],
	['The key is not allowed to do this', all],
	['The key is not allowed to read the job', ({ waits }) => waits],
	['Not found', ({ readsById }) => readsById],
	['The service does not know the job', ({ creates, waits }) => creates && waits],
	['Rate or concurrency limit exceeded', all],
	['Not enough credits', ({ spends }) => spends],
	['Max Credits per Execution', ({ creates }) => creates],
	['No job slot was free', ({ creates, waits }) => creates && waits],
	['Not finished after … minutes', ({ waits }) => waits],
	['The job failed: …', ({ waits }) => waits],
	['Output … could not be downloaded', ({ downloads }) => downloads],
	['The binary field "…" could not be uploaded', ({ uploads }) => uploads],
	['Not created again', ({ creates }) => creates],
	['Publishing fails', ({ takesEvents }) => takesEvents],
	['Nothing starts, the log warns', ({ takesEvents }) => takesEvents],
	['Nothing starts, deliveries are answered 401', ({ takesEvents }) => takesEvents],
	['Each event comes late', ({ takesEvents }) => takesEvents],
	['The service delivers events to https', eventTrigger],
	['Choose at least one event', eventTrigger],
	['The webhook cannot be registered', eventTrigger],
	['The webhook cannot be checked', eventTrigger],
	['The service registered the webhook without', eventTrigger],
	['The credential holds no signing secret', eventTrigger],
	['The generations cannot be listed', pollingTrigger],
	['No finished generation matches', pollingTrigger],
	['The base URL of the credential', all],
	['The API key of the credential', all],
	// The HTTP Request node and others that may use the credential.
	['The API key is sent to the base URL', () => false],
	['The service did not respond. Check', operations],
	['The API key is invalid. Check', operations],
	['The list needs the scope', operations],
	['Too many requests at the moment', operations],
	['The list cannot be read', operations],
	...TEST_RESULTS.map((text): [string, Concerns] => [text, () => false]),
];

interface Row {
	message: string;
	cause: string;
	cure: string;
}

/** The rows of all tables of the page about troubleshooting. */
function rowsOf(page: string): Row[] {
	return page.split('\n').flatMap((line) => {
		const [, message = '', cause = '', cure = ''] = line.split('|').map((text) => text.trim());
		const isRow = cure !== '' && !/^-+$/.test(message) && cause !== 'Cause';
		return isRow ? [{ message, cause, cure }] : [];
	});
}

function concernsOf(message: string): Concerns {
	const found = CONCERNS.filter(([beginning]) => message.startsWith(beginning));
	const [first] = found.sort(([a], [b]) => b.length - a.length);
	if (!first)
		throw new Error(`scripts/reference/errors.ts does not say whom it concerns: ${message}`);
	return first[1];
}

/** A link of a page in docs/, as it has to be in a folder beneath. */
const oneDeeper = (markdown: string) => markdown.replaceAll(/\]\((?!https:|#)/g, '](../');

/** The messages of docs/troubleshooting.md that a node can give. */
export function errorTable(node: ShownNode): string {
	const page = readFileSync(path.join(projectRoot, 'docs', 'troubleshooting.md'), 'utf8');
	const abilities = abilitiesOf(node);
	const rows = rowsOf(page).filter(({ message }) => concernsOf(message)(abilities));
	const head = ['Message', 'Cause', 'Cure'];
	return table(
		head,
		rows.map(({ message, cause, cure }) => [message, oneDeeper(cause), oneDeeper(cure)]),
	);
}
