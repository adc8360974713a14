import type { INodeListSearchResult, INodeTypeDescription } from 'n8n-workflow';
import type { SavedCredential } from './credentials';
import type { Session } from './session';

/** Whose list is searched: a resource locator's, of a node as it is filled in now. */
export interface ListSearch {
	/** Such as `n8n-nodes-mediagen.mediaGen`. */
	type: string;
	typeVersion?: number;
	/** Name of the method under `methods.listSearch`. */
	methodName: string;
	/** Path of the parameter; default `parameters.<methodName>`. */
	path?: string;
	parameters?: Record<string, unknown>;
	credential?: SavedCredential;
	/** What the user typed into the search box. */
	filter?: string;
	paginationToken?: string;
}

/** What the editor asks about node types. */
export class Nodes {
	constructor(private readonly session: Session) {}

	/** All node types that n8n has loaded, including ours. */
	async types(): Promise<INodeTypeDescription[]> {
		const bytes = await this.session.bytes('/types/nodes.json');
		return JSON.parse(bytes.toString()) as INodeTypeDescription[];
	}

	/** Opens the list of a resource locator. */
	async search(search: ListSearch): Promise<INodeListSearchResult> {
		const { credential } = search;
		return await this.session.request(
			'POST',
			'/rest/dynamic-node-parameters/resource-locator-results',
			{
				path: search.path ?? `parameters.${search.methodName}`,
				methodName: search.methodName,
				nodeTypeAndVersion: { name: search.type, version: search.typeVersion ?? 1 },
				currentNodeParameters: search.parameters ?? {},
				...(credential && {
					credentials: { [credential.type]: { id: credential.id, name: credential.name } },
				}),
				filter: search.filter,
				paginationToken: search.paginationToken,
			},
		);
	}
}
