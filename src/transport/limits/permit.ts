import type { Resource } from '../base/types';

/** One of the workspace's concurrent job slots. Releasing it twice does nothing. */
export interface Permit {
	release(): void;
	/** The service has accepted the job. */
	accepted(job: Resource): void;
	/**
	 * The service has refused the job (429): releases the permit; other clients seem to use the
	 * workspace.
	 */
	refused(hintMs?: number): void;
	/**
	 * The job runs on unattended: it keeps its slot until somebody else needs one and finds that it
	 * has ended.
	 */
	abandon(job: Resource): void;
}

/** What a permit reports to the semaphore that has issued it. */
export interface PermitIssuer {
	/** @param abandonedJobId the job that ran on unattended in the slot */
	free(abandonedJobId?: string): void;
	accepted(jobId: string): void;
	refused(hintMs?: number): void;
	/** @returns `false` if the job occupies another slot already */
	abandon(job: Resource, permit: Permit): boolean;
}

/** The permit that the semaphore gives out. */
export class HeldPermit implements Permit {
	private isHeld = true;

	private abandonedJobId: string | undefined;

	constructor(private readonly issuer: PermitIssuer) {}

	release(): void {
		if (!this.isHeld) return;
		this.isHeld = false;
		this.issuer.free(this.abandonedJobId);
	}

	accepted({ id }: Resource): void {
		this.issuer.accepted(id);
	}

	refused(hintMs?: number): void {
		this.issuer.refused(hintMs);
		this.release();
	}

	abandon(job: Resource): void {
		if (!this.isHeld || this.abandonedJobId !== undefined) return;
		this.abandonedJobId = job.id;
		if (this.issuer.abandon(job, this)) return;
		this.abandonedJobId = undefined;
		this.release();
	}
}
