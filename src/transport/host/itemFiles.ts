import type { IBinaryData, IExecuteSingleFunctions } from 'n8n-workflow';
import { isRecord } from '../base/types';

/**
 * Where files stand within the json of an item in workflows with Execution Logic v2 (`binaryMode:
 * combined`).
 */
const FILES_KEY = '_files';

const isFile = (value: unknown): value is IBinaryData =>
	isRecord(value) && 'mimeType' in value && ('data' in value || 'id' in value);

/**
 * Only in such workflows: elsewhere the json is untrusted input, and a file id in it may belong to
 * anybody.
 */
function isCombined(context: IExecuteSingleFunctions): boolean {
	// Older versions of n8n have neither the mode nor this function.
	const { getWorkflowSettings } = context as Partial<IExecuteSingleFunctions>;
	return getWorkflowSettings?.call(context).binaryMode === 'combined';
}

/** The files of an item by the name of their field, wherever n8n keeps them. */
export function itemFiles(
	context: IExecuteSingleFunctions,
	item = context.getInputData(),
): Record<string, IBinaryData> {
	const { json, binary = {} } = item;
	const filesInJson: unknown = isCombined(context) ? json[FILES_KEY] : undefined;
	if (!isRecord(filesInJson)) return binary;
	const files = Object.entries(filesInJson).filter(([, value]) => isFile(value));
	return { ...(Object.fromEntries(files) as Record<string, IBinaryData>), ...binary };
}

/**
 * The name of a field as the user means it: `_files.data`, as n8n's own nodes ask for it there, is
 * `data`.
 */
export const fieldName = (name: string): string =>
	name.startsWith(`${FILES_KEY}.`) ? name.slice(FILES_KEY.length + 1) : name;
