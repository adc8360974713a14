/**
 * Every figure of the specification's Limits table and of the request shapes.
 * Lengths are characters, counts are items, times are seconds unless the name says otherwise.
 */
export const LIMITS = {
	/** Requests a minute and workspace over all operations (default of a plan). */
	requestsPerMinute: 60,
	/** Media jobs of one workspace at the same time (default of a plan). */
	concurrentJobs: 5,
	/** Agent runs of one workspace in execution at the same time. */
	liveAgentRuns: 1,
	speechBlocks: { min: 1, max: 50 },
	promptLength: { min: 1, max: 10_000 },
	count: { min: 1, max: 16 },
	singleItemSlot: { max: 1 },
	agentSourceImages: { max: 12 },
	agentMaxCredits: { min: 1 },
	listLimit: { min: 1, max: 100, default: 20 },
	speechVolume: { min: 0.1, max: 10, default: 1 },
	speechSpeed: { min: 0.5, max: 2, default: 1 },
	idempotencyKeyLength: { max: 255 },
	idempotencyHours: 24,
	webhookToleranceSeconds: 300,
	voiceCloneName: { max: 80 },
	voiceClonePreviewText: { max: 500 },
	personaName: { max: 80 },
	personaDescription: { max: 800 },
	webhookEvents: { min: 1 },
} as const;
