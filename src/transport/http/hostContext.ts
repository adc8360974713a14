import type {
	BinaryHelperFunctions,
	IAllExecuteFunctions,
	IBinaryData,
	RequestHelperFunctions,
} from 'n8n-workflow';

/**
 * What a host needs of the functions that n8n gives to a node, whether they are for an item, a
 * hook, a webhook or a poll.
 */
export interface HostContext {
	/** What n8n's authenticated requests take as `this`; nothing else here uses it. */
	functions: IAllExecuteFunctions;
	request: Pick<RequestHelperFunctions, 'httpRequest' | 'httpRequestWithAuthentication'>;
	/** Missing where n8n has no binary data, such as in hooks. */
	binary?: Pick<
		BinaryHelperFunctions,
		'getBinaryMetadata' | 'getBinaryStream' | 'prepareBinaryData'
	>;
	/**
	 * The files of the item, or of another one of the run by its number, by the name of their field.
	 */
	files(item?: number): Record<string, IBinaryData>;
	/** Ends every request. */
	signal: AbortSignal | undefined;
	/** Queues serve their fairness keys round robin. */
	fairnessKey: string;
	/** The timeout that the user has set on the node for all requests, in ms; 0 for none. */
	timeoutMs: number;
}
