import type { IExecutePaginationFunctions, IExecuteSingleFunctions } from 'n8n-workflow';
import type { ResumeBy } from '../transport/item/settings';
import { fail, ok, type Failed, type Result } from '../transport/base/result';
import { openService, type Service } from '../trigger/connection';
import { encryptSecret } from '../webhook/encryptSecret';
import { kindsFor } from './eventKinds';
import { saveState, savedState, type ParkedState } from './parkedState';
import { listParked, registerWebhook, removeWebhook } from './registration';
import { removeStaleWebhooks } from './staleWebhooks';
import { isOver, type Wait } from './pendingWaits';
import { RESUME_PATH } from './webhooks';

/** Delivers the ends of jobs as events while an execution is parked. */
export interface EventSubscription {
	/** Registers for events. @returns whether they will come, or why they cannot */
	open(waits: Wait[], until: Date): Promise<Result<boolean>>;
	/** Saves the state that events are verified against. */
	save(waits: Wait[]): void;
	/** Removes what was registered, now or by an earlier parking of this execution. */
	close(): Promise<void>;
}

const TIMER_ONLY: EventSubscription = {
	open: async () => ok(false),
	save: () => {},
	close: async () => {},
};

/** Without the path, which holds the token of the execution. */
const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : 'unknown');

const needsHttps = (url: string) =>
	fail({
		kind: 'input',
		field: 'Resume By',
		problem: `cannot be Events and Timer, because the service delivers events to https addresses only, and the address of this n8n is ${originOf(url)}`,
		hint: 'Choose Timer Only, or set the environment variable WEBHOOK_URL of n8n to its public address, such as WEBHOOK_URL=https://n8n.example.com/',
	});

/**
 * Where events of this execution go, below its resume URL, which holds a token from n8n 2.14 on;
 * before that only the execution's number.
 */
function addressOf(context: IExecuteSingleFunctions): string {
	const resumeUrl: unknown = context.evaluateExpression('{{ $execution.resumeUrl }}', 0);
	if (typeof resumeUrl !== 'string' || !URL.canParse(resumeUrl)) return '';
	const url = new URL(resumeUrl);
	url.pathname = `${url.pathname.replace(/\/$/, '')}/${RESUME_PATH}`;
	return url.href;
}

/**
 * The service without the execution's cancel signal, so that cleaning up still works after a
 * cancel.
 */
async function uncancelledService(context: IExecuteSingleFunctions): Promise<Service> {
	return await openService(context, new AbortController().signal);
}

/** Whether the service is only unavailable for the moment: the timer alone is enough then. */
function isTransient({ failure }: Failed): boolean {
	if (failure.kind === 'status') return failure.status === 429 || failure.status >= 500;
	return failure.kind === 'noResponse';
}

/**
 * n8n (from about 2.38) calls the handler when an execution ends in any way other than being
 * parked.
 */
interface Finishing {
	onExecutionFinish?(handler: () => Promise<void>): void;
}

class WebhookSubscription implements EventSubscription {
	private registered: Omit<ParkedState, 'jobs'> | undefined;

	constructor(
		private readonly context: IExecutePaginationFunctions,
		private readonly service: Service,
		private readonly url: string,
	) {}

	async open(waits: Wait[], until: Date): Promise<Result<boolean>> {
		const { service, url, context } = this;
		const listed = await listParked(service);
		// One webhook per execution: that of an earlier parking has another secret, and its time is
		// over.
		const own = listed.filter((one) => one.url === url).map(({ id }) => id);
		const saved = savedState(context)?.webhookId;
		await this.removeAll([...new Set(saved === undefined ? own : [...own, saved])]);
		const made = await registerWebhook(service, url, kindsFor(waits), until);
		if (!made.ok) {
			if (!isTransient(made)) return made;
			context.logger.warn(
				'MediaGen Job: no webhook could be registered for a parked wait; the timer will end it',
			);
			return ok(false);
		}
		const { id, secret } = made.value;
		const { apiKey, baseUrl } = service;
		this.registered = { webhookId: id, baseUrl, secret: encryptSecret(secret, apiKey, id) };
		const signal = context.getExecutionCancelSignal();
		if (signal?.aborted) {
			// Cancelled while it was registered: nobody calls what is set up below any more.
			await this.close();
			return fail({ kind: 'cancelled' });
		}
		this.closeWithExecution(signal);
		await removeStaleWebhooks(context, service, url, listed);
		return ok(true);
	}

	save(waits: Wait[]): void {
		const pending = waits.filter((wait) => !isOver(wait));
		const jobs = pending.map(({ ref, item }) => {
			const { id, path, object, terminalStatuses } = ref;
			return { index: item.itemIndex, id, path, object, terminalStatuses };
		});
		saveState(this.context, this.registered && { ...this.registered, jobs });
	}

	async close(): Promise<void> {
		const { webhookId } = this.registered ?? savedState(this.context) ?? {};
		this.registered = undefined;
		saveState(this.context, undefined);
		if (webhookId !== undefined) await removeWebhook(this.service, webhookId);
	}

	/**
	 * An execution that fails or is cancelled before it is parked must leave nothing behind at the
	 * service.
	 */
	private closeWithExecution(signal: AbortSignal | undefined): void {
		const close = async () => {
			if (this.registered) await this.close();
		};
		(this.context as Finishing).onExecutionFinish?.(close);
		signal?.addEventListener('abort', () => void close(), { once: true });
	}

	private async removeAll(ids: string[]): Promise<void> {
		for (const id of ids) await removeWebhook(this.service, id);
	}
}

/** @returns a failure if the settings cannot work; nothing has been sent then */
export async function subscribe(
	context: IExecutePaginationFunctions,
	resumeBy: ResumeBy,
): Promise<Result<EventSubscription>> {
	if (resumeBy === 'timer') return ok(TIMER_ONLY);
	const url = addressOf(context);
	if (!url.startsWith('https://')) return needsHttps(url);
	const service = await uncancelledService(context);
	const scope = 'webhooks:write';
	if (!service.allows(scope)) return fail({ kind: 'scope', scope });
	return ok(new WebhookSubscription(context, service, url));
}
