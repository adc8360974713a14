/**
 * A failure that the person at the terminal can act on: its message is one line that says what
 * happened and what to do. Anything else that is thrown is a bug and keeps its stack.
 */
export class LabError extends Error {
	constructor(
		message: string,
		/** The log file with the details, if there is one. */
		readonly logFile?: string,
	) {
		super(logFile ? `${message} (log: ${logFile})` : message);
		this.name = 'LabError';
	}
}
