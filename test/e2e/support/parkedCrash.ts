/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { setTimeout as sleep } from 'node:timers/promises';
import { SWEPT_MS, type ParkedRuns } from './parkedRuns';
import { outputOf } from './parkedJobs';
import { until } from './until';

const TIMER = { resumeBy: 'timer', lookAgainAfter: 60 };

/** Parked waits of all kinds that are there when everything is killed. */
export class Survivors {
	private jobs = { waiting: [] as string[], lost: [] as string[], events: [] as string[] };

	private parkedAt = 0;

	private ids = { timer: '', lenient: '', lost: '', left: '', events: '' };

	constructor(private readonly given: () => ParkedRuns) {}

	/** Those whose timer is to end while nothing runs. */
	get timed(): string[] {
		const { timer, lenient, lost, left } = this.ids;
		return [timer, lenient, lost, left];
	}

	async park(): Promise<void> {
		const runs = this.given();
		const { jobs, instance } = runs;
		const waiting = await jobs.make(3);
		const [first = '', second = ''] = waiting;
		jobs.end(second);
		await until(async () => (await jobs.api('GET', `/jobs/${second}`)).status === 'completed');
		const [lost, events] = [await jobs.make(2), await jobs.make(6)];
		this.jobs = { waiting, lost, events };
		this.parkedAt = Date.now();
		this.ids = {
			timer: await runs.park(waiting, TIMER),
			lenient: await runs.park([first, 'gen_unknown', second], TIMER, {
				onError: 'continueRegularOutput',
			}),
			lost: await runs.park(lost),
			left: await runs.park(await jobs.make(1)),
			events: await runs.park(events),
		};
		for (const id of Object.values(this.ids)) {
			const { waitTill } = await runs.isParked(id);
			const minutes = (Date.parse(waitTill ?? '') - this.parkedAt) / 60_000;
			expect(minutes).toBeGreaterThanOrEqual(60);
			expect(minutes).toBeLessThan(70);
		}
		instance.faults([{ kind: 'delivery_lose' }]);
		jobs.end(...lost);
		await sleep(500);
		instance.faults([]);
	}

	/** While everything is down. */
	end(): void {
		this.given().jobs.end(...this.jobs.events);
	}

	/** What must hold once everything runs again. */
	rules(): void {
		const rows = async (id: string) =>
			outputOf(await this.given().ended(id)).map(({ json }) => [
				json.id,
				json.status,
				json.finished,
			]);

		it('events find the execution after the restart', async () => {
			expect(await rows(this.ids.events)).toEqual(
				this.jobs.events.map((job) => [job, 'completed', true]),
			);
		});

		it('the timer goes on with every job as it was when the execution was parked', async () => {
			const [first, second, third] = this.jobs.waiting;
			expect(await rows(this.ids.timer)).toEqual([
				[first, 'queued', false],
				[second, 'completed', true],
				[third, 'queued', false],
			]);
		});

		it('the timer keeps the rows that cannot be read, finished, in their places', async () => {
			const execution = await this.given().ended(this.ids.lenient);
			const [first, failed, second] = outputOf(execution).map(({ json }) => json);
			expect(first).toMatchObject({ id: this.jobs.waiting[0], finished: false });
			expect(failed).toMatchObject({ error: expect.stringMatching(/\[item 1\]/), finished: true });
			expect(second).toMatchObject({ id: this.jobs.waiting[1], finished: true });
		});

		it('the timer ends a wait whose events are lost, and the next round finds the jobs ended', async () => {
			const runs = this.given();
			const { lost } = this.jobs;
			expect(await rows(this.ids.lost)).toEqual(lost.map((job) => [job, 'queued', false]));
			const again = outputOf(await runs.ended(await runs.park(lost)));
			expect(again.map(({ json }) => json.finished)).toEqual([true, true]);
		});

		it('what is left at the service, a later parking run of the key removes', async () => {
			const runs = this.given();
			await runs.ended(this.ids.left);
			expect(runs.noWebhookOf(this.ids.left)).toBe(false);
			const ids = await runs.jobs.make(1);
			const next = await runs.park(ids);
			await runs.isParked(next);
			await until(() => runs.jobs.webhooks().length === 1, SWEPT_MS);
			expect(runs.jobs.webhooks()).toEqual([runs.webhookOf(next)]);
			runs.jobs.end(...ids);
			await runs.ended(next);
		});
	}
}
