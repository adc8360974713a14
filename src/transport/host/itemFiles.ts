import type { IBinaryData, IExecuteSingleFunctions } from 'n8n-workflow';
import { isRecord } from '../base/types';

/** Where files stand within the json of an item in workflows with Execution Logic v2 (`binaryMode: combined`). */
const IN_JSON = '_files';

const isFile = (value: unknown): value is IBinaryData =>
	isRecord(value) && 'mimeType' in value && ('data' in value || 'id' in value);

/** Only there: in any other workflow the json is whatever somebody sent, and a file's id in it may be anybody's. */
function isCombined(context: IExecuteSingleFunctions): boolean {
	// Older versions of n8n neither have the mode nor tell the settings.
	const { getWorkflowSettings } = context as Partial<IExecuteSingleFunctions>;
	return getWorkflowSettings?.call(context).binaryMode === 'combined';
}

/** The files of the item by the name of their field, wherever n8n keeps them. */
export function itemFiles(context: IExecuteSingleFunctions): Record<string, IBinaryData> {
	const { json, binary = {} } = context.getInputData();
	const inJson: unknown = isCombined(context) ? json[IN_JSON] : undefined;
	if (!isRecord(inJson)) return binary;
	const files = Object.entries(inJson).filter(([, value]) => isFile(value));
	return { ...(Object.fromEntries(files) as Record<string, IBinaryData>), ...binary };
}

/** The name of a field as the user means it: `_files.data`, as n8n's own nodes ask for it there, is `data`. */
export const fieldName = (name: string): string =>
	name.startsWith(`${IN_JSON}.`) ? name.slice(IN_JSON.length + 1) : name;
