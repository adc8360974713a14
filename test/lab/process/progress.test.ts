/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import { outputLog, withProgress } from '../../../lab/process/progress';

/** What a person sees: columns rewritten by cursor movements. */
class Screen {
	readonly lines = [''];
	columns = 40;

	constructor(readonly isTTY: true) {}

	write(text: string): boolean {
		// readline sends one command at a time.
		if (text.startsWith(String.fromCharCode(27))) {
			if (text.endsWith('K')) this.lines[this.lines.length - 1] = '';
			return true;
		}
		const [first = '', ...rest] = text.split('\n');
		this.lines[this.lines.length - 1] += first;
		this.lines.push(...rest);
		return true;
	}
}

const plainOutput = () => {
	const written: string[] = [];
	return {
		written,
		output: { write: (text: string) => written.push(text) > 0 } as unknown as NodeJS.WriteStream,
	};
};

const terminal = () => {
	const screen = new Screen(true);
	return { screen, log: outputLog(screen as unknown as NodeJS.WriteStream) };
};

beforeEach(() => {
	process.env.TERM = 'xterm';
});

test('a terminal shows one status line that the next one rewrites', () => {
	const { screen, log } = terminal();
	log.status?.('Starting …');
	log.status?.('Starting … 1 s');
	expect(screen.lines).toEqual(['Starting … 1 s']);
	log.status?.('');
	expect(screen.lines).toEqual(['']);
});

test('a logged line appears above the status line, which stays', () => {
	const { screen, log } = terminal();
	log.status?.('Running …');
	log('image.png');
	expect(screen.lines).toEqual(['image.png', 'Running …']);
});

test('a status line never wraps, because a wrapped one cannot be rewritten', () => {
	const { screen, log } = terminal();
	log.status?.('x'.repeat(100));
	expect(screen.lines[0]).toHaveLength(39);
});

test('a terminal that does not know its width counts as an ordinary one', () => {
	const { screen, log } = terminal();
	screen.columns = 0;
	log.status?.('Starting … 1 s');
	expect(screen.lines).toEqual(['Starting … 1 s']);
});

test.each([
	['a pipe', undefined],
	['a dumb terminal', 'dumb'],
])('%s gets plain lines', async (_, term) => {
	const { written, output } = plainOutput();
	if (term) Object.assign(output, { isTTY: true });
	process.env.TERM = term ?? 'xterm';
	const log = outputLog(output);
	await withProgress(log, 'Starting n8n', async () => log('ready'));
	expect(written).toEqual(['Starting n8n …\n', 'ready\n']);
	expect(log.status).toBeUndefined();
});

test('work in progress is shown with its seconds, and no longer once it has failed', async () => {
	jest.useFakeTimers();
	const { screen, log } = terminal();
	const work = withProgress(
		log,
		'Building',
		async () => await new Promise((_, reject) => setTimeout(() => reject(new Error('no')), 3_500)),
	);
	const failed = expect(work).rejects.toThrow('no');
	await jest.advanceTimersByTimeAsync(3_000);
	expect(screen.lines).toEqual(['Building … 3 s']);
	await jest.advanceTimersByTimeAsync(1_000);
	await failed;
	expect(screen.lines).toEqual(['']);
	expect(jest.getTimerCount()).toBe(0);
	jest.useRealTimers();
});
