/** Specification: CreateAgentRun, `priority`. */
export const AGENT_PRIORITIES = ['quality', 'balanced', 'cost', 'speed'] as const;
export type AgentPriority = (typeof AGENT_PRIORITIES)[number];

/** Specification: CreateAgentRun, `direction_strategy`. */
export const DIRECTION_STRATEGIES = ['best', 'multiple'] as const;
export type DirectionStrategy = (typeof DIRECTION_STRATEGIES)[number];

/** Specification: Operation details, POST /agents/runs/{id}/review. */
export const REVIEW_DECISIONS = ['assemble', 'assets_only'] as const;
export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];

/** The structure of a plan is not shown. Specification: AgentRun. */
export type AgentPlan = Record<string, unknown>;

/**
 * Specification: AgentRun. The values of `status`, the structure of `plan` and of an output are not
 * shown.
 */
export interface AgentRun {
	id: string;
	object: 'agent_run';
	status: string;
	plan: AgentPlan;
	estimated_credits?: number;
	max_credits?: number;
	reserved_credits?: number;
	spent_credits?: number;
	/** Present when a plan was created but the requested automatic approval could not be applied. */
	auto_approval_error?: string;
	outputs?: Array<Record<string, unknown>>;
}
