import type { IDataObject, IHookFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

type StateContext = IHookFunctions | IPollFunctions | IWebhookFunctions;

/**
 * The name under which a trigger keeps its state in the static data of the workflow. It has the id of the
 * node, because n8n keeps the static data of a node under the node's name, which users change. n8n saves the
 * static data of a workflow only after an assignment at its top level.
 */
const stateName = (context: StateContext): string => `mediagen:${context.getNode().id}`;

/**
 * What a trigger has saved in n8n's database; `undefined` if nothing. It must not be changed in place, which
 * n8n would not notice.
 */
export function savedState(context: StateContext): IDataObject | undefined {
	return context.getWorkflowStaticData('global')[stateName(context)] as IDataObject | undefined;
}

/** Saves the state of a trigger. n8n writes it to its database when the hook or the poll is over. */
export function saveState(context: StateContext, state: IDataObject): void {
	context.getWorkflowStaticData('global')[stateName(context)] = state;
}

export function forgetState(context: StateContext): void {
	delete context.getWorkflowStaticData('global')[stateName(context)];
}
