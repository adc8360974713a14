/** What has been started, ended in reverse order and once, however often it is asked for. */
export class Cleanup {
	private readonly steps: Array<() => unknown> = [];

	private ending?: Promise<void>;

	add(step: () => unknown): void {
		this.steps.push(step);
	}

	async end(): Promise<void> {
		this.ending ??= this.run();
		await this.ending;
	}

	private async run(): Promise<void> {
		for (const step of this.steps.reverse()) await step();
	}
}
