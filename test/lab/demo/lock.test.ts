import { alreadyRunning } from '../../../lab/demo/lock';

const editor = 'http://127.0.0.1:5678';
const running = {
	pid: 7,
	began: '1',
	holds: true,
	contents: {
		links: {
			Editor: `${editor} (sign in)`,
			Workflow: `${editor}/workflow/one`,
			Sandbox: 'http://sandbox',
		},
		workflows: { 'MediaGen 1: a picture': 'one', 'MediaGen 7b: a render': 'seven' },
	},
};

test('a second start says where the first one is', () => {
	expect(alreadyRunning(running)).toEqual([
		`Already running at ${editor} (sign in) (process 7).`,
		'',
		`Editor    ${editor} (sign in)`,
		`Workflow  ${editor}/workflow/one`,
		'Sandbox   http://sandbox',
	]);
});

test('a second start with an example says where that one is', () => {
	expect(alreadyRunning(running, '7b')).toEqual([
		`Already running at ${editor}/workflow/seven (process 7).`,
		'',
		`Workflow  ${editor}/workflow/seven`,
		`Editor    ${editor} (sign in)`,
		'Sandbox   http://sandbox',
	]);
});

test('what follows the address of a workflow stays', () => {
	const links = { Workflow: `${editor}/workflow/one (sign in)`, Editor: editor };
	const contents = { ...running.contents, links };
	expect(alreadyRunning({ ...running, contents }, '7b')[2]).toBe(
		`Workflow  ${editor}/workflow/seven (sign in)`,
	);
});

test('an example that is not in the first one, because somebody has deleted it, is named', () => {
	expect(() => alreadyRunning(running, '8')).toThrow(
		'Example 8 is not in the n8n that is running (process 7): end that start with Ctrl-C first',
	);
});
