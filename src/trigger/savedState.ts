import type { IDataObject, IHookFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

type Context = IHookFunctions | IPollFunctions | IWebhookFunctions;

/**
 * n8n keeps the static data of a node by the node's name, which users change. So a trigger keeps its
 * own by the node's id in that of the workflow, which n8n saves after an assignment at its top level.
 */
const nameOf = (context: Context): string => `mediagen:${context.getNode().id}`;

/** What a trigger has saved in n8n's database; `undefined` if nothing. Not to be changed in place. */
export function savedState(context: Context): IDataObject | undefined {
	return context.getWorkflowStaticData('global')[nameOf(context)] as IDataObject | undefined;
}

/** Saves the state of a trigger: n8n writes it once the hook or the poll is over. */
export function saveState(context: Context, state: IDataObject): void {
	context.getWorkflowStaticData('global')[nameOf(context)] = state;
}

export function forgetState(context: Context): void {
	delete context.getWorkflowStaticData('global')[nameOf(context)];
}
