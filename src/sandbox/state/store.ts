import type {
	AgentRunEntity,
	DeliveryEntity,
	FileEntity,
	GenerationEntity,
	KeyEntity,
	PersonaEntity,
	SpeechEntity,
	VoiceEntity,
	WebhookEntity,
	WorkspaceEntity,
} from './entities';
import { noPersistence, Table, type Persistence } from './table';

/** All collections of one workspace. */
export class Workspace {
	readonly files: Table<FileEntity>;
	readonly generations: Table<GenerationEntity>;
	readonly speech: Table<SpeechEntity>;
	readonly agentRuns: Table<AgentRunEntity>;
	readonly voices: Table<VoiceEntity>;
	readonly personas: Table<PersonaEntity>;
	readonly webhooks: Table<WebhookEntity>;
	readonly deliveries = new Map<string, Table<DeliveryEntity>>();
	/** Ids of generations (and speech, if it counts) that run. */
	readonly running = new Set<string>();

	/** Ids of agent runs in execution, and of those that wait for it. */
	readonly liveRuns = new Set<string>();
	readonly waitingRuns: string[] = [];

	constructor(
		readonly entity: WorkspaceEntity,
		private readonly persistence: Persistence,
	) {
		this.files = new Table('files', persistence);
		this.generations = new Table('generations', persistence);
		this.speech = new Table('speech', persistence);
		this.agentRuns = new Table('agentRuns', persistence);
		this.voices = new Table('voices', persistence);
		this.personas = new Table('personas', persistence);
		this.webhooks = new Table('webhooks', persistence);
	}

	get id(): string {
		return this.entity.id;
	}

	/** Keeps what was changed in the workspace itself. */
	save(): void {
		this.persistence.put('workspaces', this.id, this.entity);
	}

	/** The delivery attempts of one webhook. */
	deliveriesOf(webhookId: string): Table<DeliveryEntity> {
		const known = this.deliveries.get(webhookId);
		if (known) return known;
		const table = new Table<DeliveryEntity>('deliveries', this.persistence);
		this.deliveries.set(webhookId, table);
		return table;
	}
}

/** Everything that the service knows. */
export class Store {
	readonly workspaces = new Map<string, Workspace>();
	readonly keys = new Map<string, KeyEntity>();
	/** Which workspace a public file or output address belongs to. */
	readonly owners = new Map<string, string>();

	constructor(readonly persistence: Persistence = noPersistence) {}

	addWorkspace(entity: WorkspaceEntity): Workspace {
		const workspace = new Workspace(entity, this.persistence);
		this.workspaces.set(entity.id, workspace);
		workspace.save();
		return workspace;
	}

	addKey(entity: KeyEntity): void {
		this.keys.set(entity.key, entity);
		this.persistence.put('keys', entity.key, entity);
	}
}
