import ts from 'typescript';
import { filesIn, PUBLISHED, sourceOf } from '../support/sources';

/*
 * What n8n keeps with an execution, for its tries and retries, is what a node remembers of its items
 * (`src/creation/idempotency/itemState.ts`). All else that is kept beyond a run is of this process, and
 * stands here.
 */

/** What it is, for how long it is kept, and for whom. */
const KEPT: Record<string, string> = {
	workflows: 'what executions of a workflow have lost: a day, for the next click and a retry',
	sweptAt: 'when that was last cleared of what is too old',
	workspaces:
		'limits, slots, waits, prices and keys that are paid for: an hour after the last use, a day after a creation, for all nodes with one key',
	locks: 'which creation holds the lock of an execution under a limit: for its other items',
	locksOfUncertain:
		'the same under a limit of the day: the workspace, for requests without a certain price',
	begun: 'calls of agents that have not ended: until the agent was told, for its next call',
	withoutExecution: "what a call has lost that has no execution: a day, for n8n's own Agents",
	filesByNodeMemory: 'files that were fetched: the execution, for Retry On Fail and equal rows',
	summaries: 'what a dry run says of all items: the run, for each of them',
	readInRun: 'files that were read: the run, for rows with the same file',
	underWay: 'files on their way up: the execution, for rows with the same file',
	inProcess: 'files that were sent: a day, for the next click',
	pages: 'pages of lists: a minute, for whoever types into a picker',
	deliveries: 'the last 20,000: for an event that comes twice',
	recording: 'what is being recorded of them: a moment',
	unsaved: 'webhooks that n8n has not saved yet: until n8n is started again',
	leaving:
		'webhooks that are about to be deleted: 10 seconds, for who publishes a changed workflow',
	windows: 'hooks that are at work: seconds, for n8n, which repeats them',
	polling: 'polls that are at work: for n8n, which begins the next one too early',
	warned: "what was logged: until n8n is started again, for whoever reads n8n's log",
	patterns: 'what is slow to make',
	segmenters: 'what is slow to make',
	listenersBySignal: 'one listener for each signal: as long as the signal',
};

/** What a file holds as long as the process lives: names at its top that change, or hold what changes. */
function heldBy(file: string): string[] {
	return sourceOf(file).statements.flatMap((statement) => {
		if (!ts.isVariableStatement(statement)) return [];
		const { declarations, flags } = statement.declarationList;
		const isConstant = (flags & ts.NodeFlags.Const) !== 0;
		return declarations
			.filter(({ initializer }) => !isConstant || isEmptyContainer(initializer))
			.map(({ name }) => name.getText())
			.filter((name) => !/^[A-Z\d_]+$/.test(name));
	});
}

/** A container that begins with nothing in it; a bounded one has its bound. */
function isEmptyContainer(value: ts.Expression | undefined): boolean {
	if (value === undefined || !ts.isNewExpression(value)) return false;
	const [first] = value.arguments ?? [];
	const isContainer = /^(BoundedMap|Map|Set|WeakMap|WeakSet)$/.test(value.expression.getText());
	const isBound = first !== undefined && /^[A-Z\d_]+$/.test(first.getText());
	return isContainer && (first === undefined || isBound);
}

test('all that a process keeps beyond a run is listed with its reason, and nothing else is', () => {
	const held = PUBLISHED.flatMap((folder) => filesIn(folder)).flatMap(heldBy);
	expect(held.sort()).toEqual(Object.keys(KEPT).sort());
});
