import type { Delivery, EventKind, GenerationStatus, Scope } from '../src/api';
import type { MediaKind, MediaRequest } from './media/types';
import type { AgentPlan, Given } from './schemas';

/** What is stored, all of it plain JSON. What goes over the wire is made in `resources/`. */
export interface Stored {
	id: string;
	workspace: string;
	/** Wall-clock milliseconds, never twice in a workspace's table, so that a cursor is exact. */
	createdAt: number;
	/** Wall-clock milliseconds at which a job ended, or `null` before, and the ids of what it has made. */
	settledAt?: number | null;
	outputs?: string[];
}

export interface WorkspaceEntity {
	id: string;
	/** Has an active subscription or a successful historical top-up. */
	entitled: boolean;
	/** Millionths of a credit of lite speech carried toward the next credit. */
	liteCarry: number;
	/** How many of its jobs are no longer kept; missing where all are. */
	forgottenJobs?: number;
}

export interface KeyEntity {
	key: string;
	workspace: string;
	scopes: Scope[];
}

export interface FileEntity extends Stored {
	filename: string;
	contentType: string;
	size: number;
	/** What the client must send as `x-upload-token`. */
	token: string;
	/** Wall-clock milliseconds. */
	uploadExpiresAt: number;
	uploaded: boolean;
}

/** How to draw a file: references are addresses, whose bytes are read when it is drawn. */
export type Recipe = Omit<MediaRequest, 'references' | 'kind'> & { references?: string[] };

/** A file that a job has made, and how; it is drawn when it is first needed. */
export interface OutputEntity extends Stored {
	kind: MediaKind;
	delivery: Delivery;
	recipe: Recipe;
}

/** What went wrong with a job or one output of it. */
export interface JobProblem {
	type: string;
	message: string;
	output?: string;
}

/** How a job will end, decided when it is created. */
export type JobOutcome = 'succeed' | 'fail' | 'partial';

/** A status that no document names, while a job is under way or when it has ended. */
export interface StrangeStatus {
	status: string;
	when: 'running' | 'ended';
}

export interface JobEntity extends Stored {
	/** Wall-clock milliseconds at which it goes on or is done; `null` while it waits for a client. */
	dueAt: number | null;
	settledAt: number | null;
	/** Credits reserved. */
	estimatedCredits: number;
	spentCredits: number;
	outcome: JobOutcome;
	/** By a fault. */
	strange?: StrangeStatus;
	problems: JobProblem[];
	/** Ids of outputs; of those of a running generation the files are not there yet. */
	outputs: string[];
}

export interface GenerationEntity extends JobEntity, Given<'createGeneration'> {
	status: GenerationStatus;
	kind: MediaKind;
}

export interface SpeechEntity extends JobEntity, Given<'createSpeech'> {
	status: 'queued' | 'completed' | 'failed';
	characters: number;
	durationSeconds: number | null;
}

/** Open point 3: the states of an agent run. */
export const AGENT_STATUSES = [
	'plan_proposed',
	'queued',
	'waiting',
	'running',
	'awaiting_review',
	'completed',
	'failed',
] as const;
export type AgentStatus = (typeof AGENT_STATUSES)[number];

export interface AgentRunEntity extends JobEntity {
	status: AgentStatus;
	brief: string;
	sourceImages: string[];
	plan: AgentPlan;
	maxCredits: number | null;
	autoApprovalError: string | null;
}

export interface VoiceEntity extends Stored {
	name: string;
	kind: 'clone' | 'design';
	/** Id of the output that lets it be heard. */
	preview: string;
	creditsCharged: number;
}

export interface PersonaEntity extends JobEntity {
	name: string;
	status: 'pending' | 'ready' | 'failed';
	/** Empty where it was made of images. */
	description: string;
	shared: boolean;
	referenceImages: string[];
	/** Why it cannot be made, which shows when its time has come. */
	refusal?: JobProblem;
}

export interface WebhookEntity extends Stored {
	url: string;
	description: string | null;
	events: EventKind[];
	secret: string;
}

/** One attempt to deliver an event. */
export interface DeliveryEntity extends Stored {
	webhookId: string;
	eventId: string;
	event: EventKind;
	/** 1 for the first. */
	attempt: number;
	/** Wall-clock milliseconds. */
	attemptedAt: number;
	/** Unix seconds that were signed. */
	timestamp: string;
	signature: string;
	/** What is signed and sent. */
	body: string;
	url: string;
	responseStatus: number | null;
	durationMs: number;
	error: string | null;
	/** What a fault did to it. */
	fault: string | null;
	state: 'succeeded' | 'failed' | 'lost';
	nextAttemptAt: number | null;
}

/** An attempt that is still to be made; `dueAt` is wall-clock milliseconds. */
export type PendingDelivery = { dueAt: number } & Pick<
	DeliveryEntity,
	'id' | 'workspace' | 'webhookId' | 'eventId' | 'event' | 'body' | 'attempt' | 'fault'
>;
