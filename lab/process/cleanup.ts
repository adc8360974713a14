/** What has been started, ended in reverse order and once, however often it is asked for. */
export class Cleanup {
	private readonly steps: Array<() => unknown> = [];

	private ending?: Promise<void>;

	/** What comes when all has ended is ended at once. */
	add(step: () => unknown): void {
		if (this.ending) void step();
		else this.steps.push(step);
	}

	async end(): Promise<void> {
		this.ending ??= this.run();
		await this.ending;
	}

	private async run(): Promise<void> {
		for (const step of this.steps.reverse()) await step();
	}
}
