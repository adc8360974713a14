import { z } from 'zod/v4';

import type { ApproveAgentRun, CreateAgentRun, ReviewAgentRun } from '../../contract';
import { AGENT_PRIORITIES, DIRECTION_STRATEGIES, LIMITS, REVIEW_DECISIONS } from '../../contract';
import { text, uri } from './common';

const maxCredits = z.number().int().min(LIMITS.agentMaxCredits.min);

/** Specification: CreateAgentRun. */
export const createAgentRunSchema: z.ZodType<CreateAgentRun> = z.strictObject({
	brief: text(1),
	source_images: z.array(uri).max(LIMITS.agentSourceImages.max).optional(),
	priority: z.enum(AGENT_PRIORITIES).optional(),
	direction_strategy: z.enum(DIRECTION_STRATEGIES).optional(),
	auto_approve: z.boolean().optional(),
	max_credits: maxCredits.optional(),
});

/** Specification: Operation details, POST /agents/runs/{id}/approve. A plan is open JSON. */
export const approveAgentRunSchema: z.ZodType<ApproveAgentRun> = z.strictObject({
	max_credits: maxCredits,
	plan: z.record(z.string(), z.unknown()).optional(),
});

/** Specification: Operation details, POST /agents/runs/{id}/review. */
export const reviewAgentRunSchema: z.ZodType<ReviewAgentRun> = z.strictObject({
	decision: z.enum(REVIEW_DECISIONS),
});
