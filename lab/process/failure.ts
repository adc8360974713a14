/**
 * A failure that the person at the terminal can act on: its message is one line that says what
 * happened and what to do. Anything else that is thrown is a bug and keeps its stack.
 */
export class LabError extends Error {
	constructor(
		message: string,
		/** Where the whole story stands, when there is more than the line. */
		readonly logFile?: string,
	) {
		super(logFile ? `${message} (log: ${logFile})` : message);
		this.name = 'LabError';
	}
}
