import { readExamples } from '../../../lab/demo/examples';
import { entryPointsOf } from '../../../lab/demo/startExample';

/** What npm start cannot set going: a client of MCP does. */
const BY_OTHERS = ['14'];

test('every example is set going by what its triggers ask for: npm start would wait for ever', () => {
	const waiting = readExamples()
		.filter((example) => !Object.values(entryPointsOf(example)).some(Boolean))
		.map(({ name }) => /^MediaGen (\w+):/.exec(name)?.[1]);
	expect(waiting).toEqual(BY_OTHERS);
});
