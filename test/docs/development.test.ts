/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync, readdirSync, readFileSync } from 'fs';
import { join } from 'path';
import { POLICIES } from '../../src/transport/limits/policies';
import { filesIn } from '../support/sources';

const ROOT = join(__dirname, '..', '..');
const TRANSPORT = join(ROOT, 'src', 'transport');
const text = readFileSync(join(ROOT, 'docs', 'development.md'), 'utf8');

function section(heading: string): string {
	const [, after = ''] = text.split(`\n## ${heading}\n`);
	return after.split('\n## ')[0] ?? '';
}

/** Paths of files in code spans. */
const pathsIn = (markdown: string): string[] =>
	[...markdown.matchAll(/`([\w@./-]+\.(?:ts|json|md))`/g)].map(([, path = '']) => path);

test('every file that docs/development.md names exists', () => {
	const paths = pathsIn(text);
	expect(paths.length).toBeGreaterThan(50);
	const missing = paths.filter(
		(path) => ![ROOT, TRANSPORT].some((at) => existsSync(join(at, path))),
	);
	expect(missing).toEqual([]);
});

test('every room of src/transport is in the table of rooms', () => {
	const rooms = readdirSync(TRANSPORT, { withFileTypes: true })
		.filter((entry) => entry.isDirectory())
		.map(({ name }) => name);
	const house = section('The house');
	expect(rooms.filter((room) => !house.includes(`| \`${room}/\``))).toEqual([]);
});

test('every file that decides by a retry policy is in the table of decisions', () => {
	const table = section('Where is it decided?');
	const policies = readFileSync(join(TRANSPORT, 'limits', 'policies.ts'), 'utf8');
	const deciding = pathsIn(policies).filter((path) => path.endsWith('.ts'));
	expect(deciding.length).toBeGreaterThanOrEqual(Object.keys(POLICIES).length);
	expect(deciding.filter((path) => !table.includes(path))).toEqual([]);
});

/** What only carries out, holds or types what others decide. */
const CARRIES_OUT = [
	'client/client.ts',
	'files/jobOutputs.ts',
	'item/binaryReference.ts',
	'item/item.ts',
	'item/itemKey.ts',
	'item/prepared.ts',
	'item/sameSettings.ts',
	'jobs/jobPoller.ts',
	'jobs/readJob.ts',
	'jobs/waiter.ts',
	'limits/permit.ts',
	'limits/slidingWindow.ts',
	'operations/create.ts',
	'operations/index.ts',
	'operations/openRequest.ts',
	'operations/post.ts',
	'operations/submit.ts',
	'operations/submitWhenPossible.ts',
	'runner/errors.ts',
	'runner/runThroughGate.ts',
	'runner/runner.ts',
	'src/parking/parkedState.ts',
	'src/parking/pendingWaits.ts',
	'src/parking/registration.ts',
	'src/parking/webhooks.ts',
	'src/trigger/connection.ts',
	'src/trigger/fields.ts',
	'src/trigger/files.ts',
	'src/trigger/models.ts',
	'src/trigger/options.ts',
	'nodes/Trigger/MediaGenTrigger.node.ts',
	'nodes/Trigger/enrich.ts',
	'nodes/Trigger/eventMemory.ts',
	'nodes/Trigger/registrationStore.ts',
	'nodes/PollingTrigger/MediaGenPollingTrigger.node.ts',
	'nodes/PollingTrigger/execute.ts',
	'nodes/PollingTrigger/poll.ts',
	'nodes/PollingTrigger/reader.ts',
	'nodes/PollingTrigger/state.ts',
];

test('every file of the rooms that decide is in the table of decisions, or said to decide nothing', () => {
	const table = section('Where is it decided?');
	const rooms = ['client', 'files', 'item', 'jobs', 'limits', 'operations', 'runner'];
	const files = [
		...rooms.flatMap((room) => filesIn(`src/transport/${room}`)),
		...['src/parking', 'src/trigger', 'src/webhook'].flatMap((folder) => filesIn(folder)),
		...['nodes/Trigger', 'nodes/PollingTrigger'].flatMap((folder) => filesIn(folder)),
	].map((file) => file.replace('src/transport/', ''));
	const decided = new Set(pathsIn(table));
	expect(files.filter((file) => !decided.has(file) && !CARRIES_OUT.includes(file))).toEqual([]);
	// None of them is forgotten here when it goes, or comes to decide something.
	expect(CARRIES_OUT.filter((file) => !files.includes(file) || decided.has(file))).toEqual([]);
});
