import type { AgentRun } from '../../contract';
import { publicUrl } from '../engine/publish';
import type { AgentRunEntity } from '../state/entities';
import type { Service } from '../service';
import { errorFields } from './generation';

/** An agent run as it goes over the wire. Open point 3: status values and outputs are fiction. */
export function formatAgentRun(service: Service, entity: AgentRunEntity): AgentRun {
	const { id, status, plan, maxCredits, autoApprovalError } = entity;
	return {
		id,
		object: 'agent_run',
		status: service.settings.agentStatusNames[status] ?? status,
		plan,
		estimated_credits: entity.estimatedCredits,
		max_credits: maxCredits ?? undefined,
		reserved_credits: service.ledger.held(entity.workspace, id),
		spent_credits: entity.spentCredits,
		auto_approval_error: autoApprovalError ?? undefined,
		outputs: entity.outputs.map((output) => ({
			id: output.id,
			kind: output.kind,
			media_type: output.mediaType,
			url: publicUrl(service, output),
		})),
		...errorFields(service, entity.problems),
	};
}
