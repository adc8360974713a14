import { readExamples } from '../../../lab/demo/examples';
import { entryPointsOf } from '../../../lab/demo/startExample';

/** How `npm start -- --example N` sets each of them going; what sets nothing going would hang there forever. */
const STARTS: Record<string, Partial<ReturnType<typeof entryPointsOf>>> = {
	'1': { byHand: 'Start' },
	'2': { byHand: 'Start' },
	'3': { byHand: 'Start' },
	'4': { byHand: 'Start' },
	'5': { byHand: 'Start' },
	'6': { form: 'mediagen-example-brief' },
	'7': { byHand: 'Set Up', byEvent: 'Render Done' },
	'7b': { byHand: 'Set Up', polling: 'New Result' },
	'8': { byHand: 'Every Night', table: 'mediagen prompts' },
	'8b': { byHand: 'Every Night', table: 'mediagen csv prompts' },
	'9': { byHand: 'Start' },
	'10': { chat: 'Open the Chat' },
	// Its schedule leads to where the manual trigger leads: once is enough.
	'11': { byHand: 'Start' },
	'12': { byHand: 'Start', missesEvent: true },
	// n8n itself starts it, when another workflow fails.
	'13': { byHand: 'Workflow Failed' },
	// A client of MCP does.
	'14': {},
	'15': { byHand: 'Start', rests: true },
	'15b': { byHand: 'Set Up', byEvent: 'Job Done' },
};

test('every example is set going by what its triggers ask for', () => {
	const found = readExamples().map((example) => [
		/^MediaGen (\w+):/.exec(example.name)?.[1],
		Object.fromEntries(Object.entries(entryPointsOf(example)).filter(([, one]) => one)),
	]);
	expect(Object.fromEntries(found)).toEqual(STARTS);
});
