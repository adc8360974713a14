import type {
	AgentPlan,
	AgentPriority,
	Delivery,
	DirectionStrategy,
	EventKind,
	GenerationInput,
	GenerationMode,
	GenerationParameters,
	GenerationStatus,
	PersonaSource,
	PersonaStatus,
	Scope,
	SpeechBlock,
	SpeechModel,
	SpeechSettings,
	SpeechStatus,
	VoiceKind,
} from '../../contract';
import type { MediaKind } from '../catalogue/models';

/** What is stored. The wire shape of each is made in `formatters/`; all of it is plain JSON. */
export interface Stored {
	id: string;
	workspace: string;
	/** Microseconds since 1970, never twice in a workspace's table, so that a cursor is exact. */
	createdAt: number;
}

export interface WorkspaceEntity {
	id: string;
	/** Has an active subscription or a successful historical top-up. */
	entitled: boolean;
	/** Millionths of a credit of lite speech carried toward the next credit. */
	liteCarry: number;
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

/** What went wrong with a job or one output of it. */
export interface JobProblem {
	type: string;
	message: string;
	output?: string;
}

/** How a job will end, decided when it is created. */
export type JobOutcome = 'succeed' | 'fail' | 'partial';

export interface OutputEntity {
	id: string;
	index: number;
	kind: MediaKind;
	mediaType: string;
	extension: string;
}

interface JobEntity extends Stored {
	/** Wall-clock milliseconds at which it is done. */
	dueAt: number;
	settledAt: number | null;
	/** Credits reserved. */
	estimatedCredits: number;
	spentCredits: number;
	outcome: JobOutcome;
	problems: JobProblem[];
}

export interface GenerationEntity extends JobEntity {
	status: GenerationStatus;
	mode: GenerationMode;
	kind: MediaKind;
	model: string;
	prompt: string;
	personaId: string | null;
	input: GenerationInput;
	parameters: GenerationParameters;
	delivery: Delivery;
	outputs: OutputEntity[];
}

export interface SpeechEntity extends JobEntity {
	status: SpeechStatus;
	model: SpeechModel;
	blocks: SpeechBlock[];
	settings: SpeechSettings;
	delivery: Delivery;
	characters: number;
	durationSeconds: number | null;
	output: OutputEntity | null;
}

/** Open point 3: the states of an agent run. */
export type AgentStatus =
	'plan_proposed' | 'queued' | 'waiting' | 'running' | 'awaiting_review' | 'completed' | 'failed';

export interface AgentRunEntity extends JobEntity {
	status: AgentStatus;
	brief: string;
	sourceImages: string[];
	priority: AgentPriority;
	directionStrategy: DirectionStrategy;
	plan: AgentPlan;
	maxCredits: number | null;
	autoApprovalError: string | null;
	stepsDone: number;
	decision: string | null;
	outputs: OutputEntity[];
}

export interface VoiceEntity extends Stored {
	name: string;
	kind: VoiceKind;
	description: string;
	previewText: string;
	audioUrl: string | null;
	preview: OutputEntity;
	creditsCharged: number;
}

export interface PersonaEntity extends JobEntity {
	name: string;
	source: PersonaSource;
	status: PersonaStatus;
	description: string;
	shared: boolean;
	referenceImages: string[];
	portrait: OutputEntity | null;
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
	attempt: number;
	/** Wall-clock milliseconds. */
	attemptedAt: number;
	/** Unix seconds that were signed. */
	timestamp: string;
	signature: string;
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

/** An attempt that is still to be made. */
export interface PendingDelivery {
	id: string;
	workspace: string;
	webhookId: string;
	eventId: string;
	event: EventKind;
	/** What is signed and sent. */
	body: string;
	/** 1 for the first. */
	attempt: number;
	/** Wall-clock milliseconds. */
	dueAt: number;
	fault: string | null;
}
