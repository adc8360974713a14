import type { IBinaryData } from 'n8n-workflow';
import { Credentials } from './credentials';
import { Executions } from './executions';
import { Nodes } from './nodes';
import { Session, type Owner, type Ticket } from './session';
import { Workflows } from './workflows';

export type { CredentialData, CredentialTest, SavedCredential } from './credentials';
export type { Execution, ExecutionStatus } from './executions';
export { RestError, type Owner, type Ticket } from './session';
export type { SavedWorkflow, WorkflowData } from './workflows';

/** n8n as its editor sees it: its internal REST interface, signed in as the owner. */
export class Rest {
	readonly credentials: Credentials;

	readonly workflows: Workflows;

	readonly executions: Executions;

	readonly nodes: Nodes;

	private constructor(readonly session: Session) {
		this.credentials = new Credentials(session);
		this.workflows = new Workflows(session);
		this.executions = new Executions(session);
		this.nodes = new Nodes(session);
	}

	/** Signs in; on a fresh instance the owner is made first. */
	static async signIn(baseUrl: string, owner: Owner): Promise<Rest> {
		return new Rest(await Session.signIn(baseUrl, owner));
	}

	/** Goes on with the session that another process signed in (`rest.session.ticket`). */
	static resume(ticket: Ticket): Rest {
		return new Rest(new Session({ ...ticket }));
	}

	/** The bytes of a binary field, wherever n8n keeps them. */
	async download(binary: IBinaryData): Promise<Buffer> {
		if (!binary.id) return Buffer.from(binary.data, 'base64');
		const id = encodeURIComponent(binary.id);
		return await this.session.bytes(`/rest/binary-data?id=${id}&action=download`);
	}
}
