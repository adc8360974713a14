import { z } from 'zod/v4';

import type { AgentPlan, CreateAgentRun } from '../../contract';
import { invalid } from '../errors';
import { PRICES } from '../credits/prices';
import { elementAt } from '../elementAt';

/** A step of a plan; open point 3: the structure is fiction. Other fields are preserved. */
const stepSchema = z.looseObject({
	id: z.string().min(1),
	kind: z.enum(['image', 'video', 'music', 'speech']),
	prompt: z.string().min(1).max(10_000),
	estimated_credits: z.number().int().min(0),
});

const planSchema = z.looseObject({ steps: z.array(stepSchema).min(1).max(50) });

export type PlanStep = z.infer<typeof stepSchema>;

const STEPS: Array<{ kind: PlanStep['kind']; what: string }> = [
	{ kind: 'image', what: 'Key visual' },
	{ kind: 'video', what: 'Main scene' },
	{ kind: 'music', what: 'Score' },
	{ kind: 'speech', what: 'Narration' },
];

/** How a priority changes what a step costs. */
const FACTORS = { quality: 1.5, balanced: 1, cost: 0.5, speed: 1 } as const;

/** Proposes a plan for a brief; several directions mean several key visuals. */
export function proposePlan(body: CreateAgentRun): AgentPlan {
	const directions = body.direction_strategy === 'multiple' ? 3 : 1;
	const factor = FACTORS[body.priority ?? 'balanced'];
	const wanted = STEPS.flatMap((step) =>
		step.kind === 'image' ? Array<typeof step>(directions).fill(step) : [step],
	);
	const steps = wanted.map(({ kind, what }, index) => ({
		id: `step_${index + 1}`,
		kind,
		prompt: `${what}: ${body.brief}`.slice(0, 10_000),
		estimated_credits: Math.ceil(PRICES.agentStep[kind] * factor),
	}));
	return { title: body.brief.slice(0, 80), steps };
}

/** The steps of a plan that may have been edited. 400 when they cannot be carried out. */
export function readSteps(plan: AgentPlan): PlanStep[] {
	const read = planSchema.safeParse(plan);
	if (read.success) return read.data.steps;
	const { path, message } = elementAt(read.error.issues, 0);
	throw invalid(['plan', ...path.map(String)].join('.'), message);
}

export function planCredits(plan: AgentPlan): number {
	return readSteps(plan).reduce((sum, step) => sum + step.estimated_credits, 0);
}
