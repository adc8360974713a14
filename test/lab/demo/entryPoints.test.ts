import { readExamples } from '../../../lab/demo/examples';
import { entryPointsOf, type EntryPoints } from '../../../lab/demo/startExample';

const byHand = (...triggers: string[]): EntryPoints => ({
	byHand: triggers,
	byEvent: undefined,
	byPerson: undefined,
	needs: undefined,
	table: undefined,
});

/** How `npm start -- --example N` sets each of them going; what sets nothing going would hang there forever. */
const STARTS: Record<string, EntryPoints> = {
	'1': byHand('Start'),
	'2': byHand('Start'),
	'3': byHand('Start'),
	'4': byHand('Start'),
	'5': byHand('Start'),
	'6': { ...byHand(), byPerson: 'form' },
	'7': { ...byHand('Set Up'), byEvent: 'Render Done', needs: 'generation' },
	'7b': { ...byHand('Set Up', 'New Result'), needs: 'generation' },
	'8': { ...byHand('Every Night'), table: 'mediagen prompts' },
	'8b': { ...byHand('Every Night'), table: 'mediagen csv prompts' },
	'9': byHand('Start'),
	'10': { ...byHand(), byPerson: 'chat' },
	// Its schedule leads to where the manual trigger leads: once is enough.
	'11': byHand('Start'),
	'12': { ...byHand('Start'), needs: 'missed event' },
	// n8n itself starts it, when another workflow fails.
	'13': byHand('Workflow Failed'),
	// A client of MCP does.
	'14': byHand(),
};

test('every example is set going by what its triggers ask for', () => {
	const found = readExamples().map((example) => [
		/^MediaGen (\w+):/.exec(example.name)?.[1],
		entryPointsOf(example),
	]);
	expect(Object.fromEntries(found)).toEqual(STARTS);
});
