import type {
	IDataObject,
	IHttpRequestOptions,
	INodeExecutionData,
	INodeType,
	NodeApiError,
} from 'n8n-workflow';
import { execute } from './engine';
import { nodeRun } from './nodeContext';

interface Answer {
	statusCode: number;
	body: object;
}

/** A job that nobody waits for. */
const queued = (): Answer => ({ statusCode: 202, body: { id: 'job_1', status: 'queued' } });

/** Runs a node for one item: what it asked the service, the item, or the error. */
export async function called(
	node: new () => INodeType,
	parameters: Record<string, unknown>,
	answer: (request: IHttpRequestOptions) => Answer = queued,
) {
	const asked: Array<{ method: unknown; url: string; body: IDataObject }> = [];
	const request = async (options: IHttpRequestOptions) => {
		const { method, url, body } = options;
		asked.push({ method, url, body: JSON.parse(String(body ?? '{}')) as IDataObject });
		return { headers: {}, ...answer(options) };
	};
	const running = execute(new node(), nodeRun({ request }), () => parameters);
	const ended: { item?: INodeExecutionData; error?: NodeApiError } = await running.then(
		([item]) => ({ item }),
		(error: NodeApiError) => ({ error }),
	);
	return { asked, body: asked[0]?.body, ...ended };
}

/** What the editor stores of a choice. */
export const locator = (value: unknown, mode = 'list') => ({ __rl: true, mode, value });
