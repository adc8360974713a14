import { linkLines } from '../../../lab/demo/lock';
import { linksTo } from '../../../lab/demo/start';

const editor = 'http://127.0.0.1:5678';
const signIn = '(sign in with demo@example.com / MediaGen1)';

test('the example that was asked for comes first, with what opens it', () => {
	expect(linkLines(linksTo(editor, 'w1', true))).toEqual([
		`Workflow  ${editor}/workflow/w1 ${signIn}`,
		`Editor    ${editor}`,
	]);
});

test('otherwise the editor comes first', () => {
	expect(linkLines(linksTo(editor, 'w1', false))).toEqual([
		`Editor    ${editor} ${signIn}`,
		`Workflow  ${editor}/workflow/w1`,
	]);
});
