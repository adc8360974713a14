import type { IAllExecuteFunctions } from 'n8n-workflow';
import { isLocalService, parseUrl } from '../transport/urls';

/**
 * Headers that say which execution sends a request, by its address in the editor: for a service on this
 * machine only, such as the sandbox, whose page links to it. No other service learns anything of n8n.
 */
export function executionHeaders(
	functions: IAllExecuteFunctions,
	baseUrl: string,
): Record<string, string> {
	const address = isLocalService(baseUrl) ? addressOf(functions) : undefined;
	return address === undefined ? {} : { 'X-N8N-Execution': address };
}

/** `undefined` where there is no execution, such as in lists of the editor, or n8n does not tell. */
function addressOf(functions: IAllExecuteFunctions): string | undefined {
	try {
		const execution = functions.getExecutionId();
		const { id } = functions.getWorkflow();
		if (!execution || !id) return undefined;
		const editor = `${functions.getInstanceBaseUrl().replace(/\/$/, '')}/`;
		return parseUrl(`workflow/${id}/executions/${execution}`, editor)?.href;
	} catch {
		return undefined;
	}
}
