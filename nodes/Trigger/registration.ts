import { randomUUID } from 'crypto';
import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { ENDPOINTS, textOf } from '../../src/api';
import { operationError } from '../../src/n8n/output/errors';
import { warn } from '../../src/trigger/log';
import { forgetState, savedState, saveState } from '../../src/trigger/savedState';
import { saysGone } from '../../src/transport/statuses';
import { openService, reasonInLog } from '../../src/trigger/service';
import { callBack, deleteLater, runHook } from './hookTiming';
import {
	deleteAtService,
	isStillRegistered,
	register,
	sameEvents,
	wantedWebhook,
	urlAtService,
	type Registered,
} from './webhookAtService';

/*
 * What a trigger remembers of its webhook, and what becomes of that when n8n publishes and unpublishes
 * (`webhookMethods`, below). The requests themselves are in `webhookAtService.ts`.
 */

/** Who creates the webhook at the service. */
export type RegistrationMode = 'automatic' | 'manual';

type WebhookContext = IHookFunctions | IWebhookFunctions;

/** What a trigger remembers of its webhook. */
interface Registration extends Registered {
	/** The workflow that registered it, because copies of a workflow inherit its static data. */
	workflowId?: string;
	/** Whether it was registered for a test event in the editor. */
	isTest: boolean;
	/** Which process n8n has asked to delete it, and when, in ms since 1970. It may still be there. */
	left?: { by: string; at: number };
}

/** This process, among those that may share a database. */
const PROCESS = randomUUID();

/** For how long another process may be about to delete a webhook, in ms: much longer than it takes. */
const ELSEWHERE_MS = 60_000;

/** Whether another process may be about to delete the webhook. */
const isBeingLeftElsewhere = ({ left }: Registration): boolean =>
	left !== undefined && left.by !== PROCESS && Math.abs(Date.now() - left.at) < ELSEWHERE_MS;

/**
 * What this process has registered. n8n saves static data only after it has activated all triggers of a
 * workflow, and not at all if one of them fails. Without this map, the first events of the others would be
 * refused until then, and their webhooks would be left at the service.
 */
const unsaved = new Map<string, Registration>();

const nameOfTrigger = (context: WebhookContext): string =>
	JSON.stringify([context.getWorkflow().id, context.getNode().id, context.getMode() === 'manual']);

const savedRegistration = (context: WebhookContext) =>
	savedState(context) as unknown as Registration | undefined;

/** The registration that n8n has saved, otherwise the one that it has not saved yet. */
const registrationOf = (context: WebhookContext): Registration | undefined =>
	savedRegistration(context) ?? unsaved.get(nameOfTrigger(context));

function saveRegistration(context: IHookFunctions, registration: Registration): void {
	saveState(context, registration as unknown as IDataObject);
	unsaved.set(nameOfTrigger(context), registration);
}

function forgetRegistration(context: IHookFunctions): void {
	forgetState(context);
	unsaved.delete(nameOfTrigger(context));
}

const isByHand = (context: WebhookContext): boolean =>
	context.getNodeParameter('registration', 'automatic') === ('manual' satisfies RegistrationMode);

async function secretFromCredential(context: WebhookContext): Promise<string> {
	const { signingSecret } = await context.getCredentials('mediaGenWebhookSecretApi');
	const secret = textOf(signingSecret);
	if (secret !== undefined) return secret;
	throw operationError(context.getNode(), 'The credential holds no signing secret');
}

/**
 * The secret that verifies deliveries; `undefined` if no webhook is registered.
 * @throws if the credential of a webhook made by hand cannot be read
 */
export async function secretOf(context: WebhookContext): Promise<string | undefined> {
	if (isByHand(context)) return await secretFromCredential(context);
	return registrationOf(context)?.secret;
}

/**
 * Deletes the webhook that is remembered, if it belongs to this node, and forgets it. Static data
 * travels: a copy of a workflow (export and import, public API) remembers the original's webhook, and
 * so does every workflow of a cloned database. A copy has another id; a clone has another address.
 * @returns why the webhook was left at the service; then it is still remembered
 */
async function removeRegistered(
	context: IHookFunctions,
	deadline: AbortSignal,
): Promise<string | undefined> {
	const registration = registrationOf(context);
	if (!registration) return undefined;
	const { webhookId, url, baseUrl, account } = registration;
	const left = (why: string) => `The webhook ${webhookId} was left at the service: ${why}`;
	if (registration.workflowId !== context.getWorkflow().id) {
		// The webhook is that of the original workflow, which still needs it.
		forgetRegistration(context);
		return undefined;
	}
	if (url !== context.getNodeWebhookUrl('default'))
		return left(
			`it has the address ${url}, and another n8n may be using it. If none is, delete it (MediaGen Webhook: Delete)`,
		);
	const service = await openService(context, deadline);
	if (service.baseUrl !== baseUrl)
		return left(
			`it belongs to the old base URL, and the credential leads to another one. Delete it there (MediaGen Webhook: Delete)`,
		);
	// A webhook that has another URL by now belongs to somebody else. A key may be allowed to write and not
	// to read: then the node relies on what it remembers.
	const urlNow = await urlAtService(service, webhookId);
	const isTaken = urlNow !== undefined && urlNow !== url;
	const deleted = isTaken ? undefined : await deleteAtService(service, webhookId);
	if (deleted && !deleted.ok) {
		if (!saysGone(deleted))
			return left(
				`${reasonInLog(context, deleted, ENDPOINTS.deleteWebhook)} Unpublish again, or delete it (MediaGen Webhook: Delete)`,
			);
		// The key may be of another workspace, which never had this webhook.
		if (service.account !== account)
			return left(
				`the API key of the credential has changed, and its workspace does not have this webhook. If nobody has deleted it, delete it with a key of its own workspace (MediaGen Webhook: Delete)`,
			);
	}
	forgetRegistration(context);
	return undefined;
}

/**
 * Deletes the webhook of an earlier publishing. If it cannot be deleted, that is only logged, because another
 * webhook is registered next.
 * @param former the hook that n8n has asked to delete it, if it is still there for that reason
 */
async function removeFormer(
	context: IHookFunctions,
	former: IHookFunctions | undefined,
	deadline: AbortSignal,
): Promise<void> {
	const isGoneAlready = former === undefined && savedRegistration(context)?.left !== undefined;
	const left = await removeRegistered(former ?? context, deadline);
	if (left !== undefined && !isGoneAlready) warn(context, left);
	forgetRegistration(context);
}

/**
 * Keeps the webhook of an earlier publishing if it can still be used, and deletes it otherwise.
 * @returns whether it was kept
 */
async function keepRegistered(
	context: IHookFunctions,
	former: IHookFunctions | undefined,
	deadline: AbortSignal,
): Promise<boolean> {
	const registration = savedRegistration(former ?? context);
	if (registration === undefined) return false;
	const { webhookId, url, workflowId, baseUrl, events } = registration;
	const wanted = wantedWebhook(context);
	const service = await openService(context, deadline);
	const isOwn =
		url === wanted.url && workflowId === context.getWorkflow().id && baseUrl === service.baseUrl;
	if (
		isOwn &&
		!isBeingLeftElsewhere(registration) &&
		sameEvents(events, wanted.events) &&
		(await isStillRegistered(context, service, webhookId, wanted))
	) {
		if (registration.left) saveRegistration(context, { ...registration, left: undefined });
		return true;
	}
	await removeFormer(context, former, deadline);
	return false;
}

/**
 * Deletes the webhook of a trigger later, unless it is asked for again. Nobody waits for that, so a failure
 * is logged.
 */
function leave(context: IHookFunctions, registration: Registration): void {
	const name = nameOfTrigger(context);
	const left = { by: PROCESS, at: Date.now() };
	saveState(context, { ...registration, left } as unknown as IDataObject);
	unsaved.delete(name);
	deleteLater(name, context, async (deadline) => {
		const { webhookId } = registration;
		const problem = await removeRegistered(context, deadline).catch(
			({ message }: Error) => `The webhook ${webhookId} was left at the service: ${message}`,
		);
		if (problem !== undefined) warn(context, problem);
	});
}

/** What n8n calls when a workflow is published or unpublished, and around a test event. */
export const webhookMethods = {
	async checkExists(this: IHookFunctions): Promise<boolean> {
		if (isByHand(this)) return false;
		const name = nameOfTrigger(this);
		const former = await callBack(name);
		return await runHook(name, async (deadline) => await keepRegistered(this, former, deadline));
	},

	async create(this: IHookFunctions): Promise<boolean> {
		const name = nameOfTrigger(this);
		const former = await callBack(name);
		return await runHook(name, async (deadline) => {
			const byHand = isByHand(this);
			if (byHand) await secretFromCredential(this);
			if (byHand || former) await removeFormer(this, former, deadline);
			if (byHand) return true;
			const registered = await register(this, deadline);
			const workflowId = this.getWorkflow().id;
			const isTest = this.getMode() === 'manual';
			saveRegistration(this, { ...registered, workflowId, isTest });
			return true;
		});
	},

	async delete(this: IHookFunctions): Promise<boolean> {
		const registration = registrationOf(this);
		if (!registration) return true;
		if (!registration.isTest) {
			leave(this, registration);
			return true;
		}
		return await runHook(nameOfTrigger(this), async (deadline) => {
			const left = await removeRegistered(this, deadline);
			if (left !== undefined) warn(this, left);
			return left === undefined;
		});
	},
};
