import ts from 'typescript';
import { filesIn, PUBLISHED, read, sourceOf } from '../support/sources';

/**
 * Where published code waits for what others do, by the beginning of the row of docs/limits.md that
 * says for how long. A place that only hands its wait to another one has to exist.
 */
const ROWS: Record<string, string[]> = {
	'A creation for a job slot': ['JobSlots.acquire'],
	'A request for its turn': ['RateLimiter.acquire, without a deadline'],
	'A creation for credits, with': ['CreditGate.mayTry'],
	'A creation with _Max Credits_': ['Creation.takeTurn, without a deadline'],
	'An item that only reads': ['inTurn, without a deadline', 'Creation.look, without a deadline'],
	'A job to end': [
		'JobPoller.wait, without a deadline',
		'Creation.wait',
		'wait',
		'Creation.awaitEnd, without a deadline',
	],
	'A job that nobody waits for': ['JobSlots.tick'],
	'A list of what runs': ['JobPoller.sendList'],
	'One answer of the service': [
		'createSend',
		'readBody',
		'dryRun, without a deadline',
		'withFirstModel, without a deadline',
	],
	'A request that is tried again': ['Client.request', 'Creation.exchange, without a deadline'],
	'A list with _Return All_': ['readPages'],
	'A list in the editor': [
		'readPage',
		'readPage, without a deadline',
		'searchVoices, without a deadline',
		'searchOf, without a deadline',
	],
	'The test of a credential': ['mediaGenApiTest'],
	'A file for its turn to be read': ['readFile', 'readFile, without a deadline'],
	'A download for its turn': ['transfer, without a deadline'],
	'A file on its way, in or out': ['boundedBody', 'n8nHost', 'transfer'],
	'A call of a tool by an AI agent': ['answerInTime', 'answerInTime, without a deadline'],
	'A trigger that is published': ['runHook'],
	'An event that is sent again': ['receive'],
	'The execution of an event': ['areRepeats, without a deadline'],
};

/** What the queues and clocks of `base/` offer to others: their own waits are those of who uses them. */
const OFFERED = ['Semaphore', 'systemClock', 'unlessAborted', 'WaitQueue', 'WakeUp'];

/** The methods that wait, by how many arguments they have where one of them is the deadline. */
const WAITING = new Map(
	Object.entries({ sleep: 1, timeout: 1, wait: 3, enter: 9, run: 9, race: 9 }),
);

/** A node and all within it. */
function within(node: ts.Node, all: ts.Node[] = []): ts.Node[] {
	all.push(node);
	ts.forEachChild(node, (child) => void within(child, all));
	return all;
}

const nodes = PUBLISHED.flatMap((folder) => filesIn(folder)).flatMap((file) =>
	within(sourceOf(file)),
);

const nameOf = (node: ts.Node): string =>
	ts.isVariableStatement(node)
		? (node.declarationList.declarations[0]?.name.getText() ?? '')
		: ((node as ts.NamedDeclaration).name?.getText() ?? '');

/** The function at the top of a file that holds a node, or the class with its method. */
function placeOf(node: ts.Node): string {
	const around: ts.Node[] = [];
	for (let at = node; !ts.isSourceFile(at); at = at.parent) around.unshift(at);
	const [top, member] = around;
	const names = top && ts.isClassDeclaration(top) ? [top, member] : [top];
	return names.map((named) => named && nameOf(named)).join('.');
}

/** How a node waits: with a deadline, without one, or not at all (`undefined`). */
function waits(node: ts.Node): 'with' | 'without' | undefined {
	if (ts.isNewExpression(node) && node.expression.getText() === 'Promise') return 'without';
	if (ts.isAwaitExpression(node)) {
		let awaited: ts.Expression = node.expression;
		while (ts.isParenthesizedExpression(awaited)) awaited = awaited.expression;
		// A promise that somebody else has made.
		const isKept = [ts.isIdentifier, ts.isPropertyAccessExpression, ts.isBinaryExpression];
		return isKept.some((is) => is(awaited)) ? 'without' : undefined;
	}
	if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression))
		return undefined;
	const least = WAITING.get(node.expression.name.text);
	if (least === undefined) return undefined;
	const isTimed = !node.arguments.some((given) => given.getText() === 'Infinity');
	return isTimed && node.arguments.length >= least ? 'with' : 'without';
}

const found = new Set<string>();
for (const node of nodes) {
	const how = waits(node);
	if (how) found.add(`${placeOf(node)}${how === 'with' ? '' : ', without a deadline'}`);
}
const listed = Object.values(ROWS).flat();

test('every wait in published code is one of docs/limits.md', () => {
	const isOffered = (place: string) => OFFERED.includes(place.split(/[.,]/)[0] ?? '');
	expect([...found].filter((place) => !isOffered(place) && !listed.includes(place))).toEqual([]);
});

test('every row of docs/limits.md names a wait that exists', () => {
	const [, section = ''] = read('docs/limits.md').split('## How long what waits');
	const [table = ''] = section.split('\n## ');
	const rows = table
		.split('\n')
		.filter((line) => /^\| [A-Z]/.test(line))
		.slice(1);
	const names = Object.keys(ROWS);
	expect(rows.filter((row) => !names.some((name) => row.startsWith(`| ${name}`)))).toEqual([]);
	expect(names.filter((name) => !rows.some((row) => row.startsWith(`| ${name}`)))).toEqual([]);
	const places = new Set(nodes.map(placeOf));
	const isThere = (place: string) => found.has(place) || places.has(place);
	expect(listed.filter((place) => !isThere(place))).toEqual([]);
});
