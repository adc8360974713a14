import type {
	AgentRunEntity,
	DeliveryEntity,
	FileEntity,
	GenerationEntity,
	JobEntity,
	KeyEntity,
	OutputEntity,
	PersonaEntity,
	SpeechEntity,
	Stored,
	VoiceEntity,
	WebhookEntity,
	WorkspaceEntity,
} from './entities';
import type { Service } from './service';

/** Where changes are kept over restarts; in memory only, it does nothing. */
export interface Persistence {
	put(table: string, id: string, value: unknown): void;
	remove(table: string, id: string): void;
}

export const noPersistence: Persistence = { put: () => {}, remove: () => {} };

/** The specification does not show for how long a service keeps what has ended. */
export const MOST_KEPT = 5_000;

/** Entities of one kind and workspace, by id, in order of creation. */
export class Table<T extends Stored> {
	/** Oldest first. */
	private readonly byId = new Map<string, T>();
	private lastCreated = 0;

	constructor(
		private readonly name: string,
		private readonly owner: Workspace,
		/** Deletes what is too old, and what goes with it; without it, all is kept. */
		private readonly forget?: (oldest: T) => void,
	) {}

	get(id: string): T | undefined {
		return this.byId.get(id);
	}

	/** A creation time in microseconds that no entity of this table has. */
	stamp(now: number): number {
		return Math.max(now * 1000, this.lastCreated + 1);
	}

	/** Adds an entity, or keeps what was changed in it. */
	put(entity: T): T {
		this.restore(entity);
		this.owner.service.persistence.put(this.name, entity.id, entity);
		this.forgetOldest();
		return entity;
	}

	private forgetOldest(): void {
		const [oldest] = this.byId.values();
		if (!this.forget || !oldest || this.byId.size <= MOST_KEPT) return;
		// It is kept, and with it all others, until it has ended.
		if (oldest.settledAt !== null) this.forget(oldest);
	}

	/** Takes a kept entity back in; they must come in order of creation. */
	restore(entity: T): void {
		this.byId.set(entity.id, entity);
		this.lastCreated = Math.max(this.lastCreated, entity.createdAt);
	}

	delete(id: string): void {
		if (this.byId.delete(id)) this.owner.service.persistence.remove(this.name, id);
	}

	/** Up to `limit` entities created before an instant (microseconds), newest first. */
	page(limit: number, before = Infinity): { entities: T[]; more: boolean } {
		const earlier = this.all().filter(({ createdAt }) => createdAt < before);
		return { entities: earlier.slice(0, limit), more: earlier.length > limit };
	}

	/** All of them, newest first. */
	all(): T[] {
		return [...this.byId.values()].reverse();
	}
}

/** One workspace of the service and all that is in it. */
export class Workspace {
	readonly files = this.table<FileEntity>('files');
	readonly outputs = this.table<OutputEntity>('outputs');
	readonly generations = this.jobs<GenerationEntity>('generations');
	readonly speech = this.jobs<SpeechEntity>('speech');
	readonly agentRuns = this.jobs<AgentRunEntity>('agentRuns');
	readonly voices = this.table<VoiceEntity>('voices');
	readonly personas = this.table<PersonaEntity>('personas');
	readonly webhooks = this.table<WebhookEntity>('webhooks');
	/** By the id of the webhook; those of deleted webhooks, too. */
	readonly deliveries = new Map<string, Table<DeliveryEntity>>();
	/** Ids of generations that run, of agent runs in execution, and of those that wait for it. */
	readonly running = new Set<string>();
	readonly liveRuns = new Set<string>();
	readonly waitingRuns: string[] = [];
	/** Instants of the requests of the last minute that were let through, oldest first. */
	readonly passed: number[] = [];

	constructor(
		readonly entity: WorkspaceEntity,
		/** That it is a workspace of. */
		readonly service: Service,
	) {}

	get id(): string {
		return this.entity.id;
	}

	/** Keeps what was changed in the workspace itself. */
	save(): void {
		this.service.persistence.put('workspaces', this.id, this.entity);
	}

	/** The delivery attempts of one webhook. */
	deliveriesOf(webhookId: string): Table<DeliveryEntity> {
		const known = this.deliveries.get(webhookId);
		if (known) return known;
		const forget = ({ id }: DeliveryEntity) => table.delete(id);
		const table = new Table<DeliveryEntity>('deliveries', this, forget);
		this.deliveries.set(webhookId, table);
		return table;
	}

	private table<T extends Stored>(name: string): Table<T> {
		return new Table<T>(name, this);
	}

	/** Jobs are forgotten with what they have made. */
	private jobs<T extends JobEntity>(name: string): Table<T> {
		const table = new Table<T>(name, this, ({ id, outputs }) => {
			table.delete(id);
			for (const output of outputs) this.outputs.delete(output);
		});
		return table;
	}
}

/** Everything that the service knows. */
export class Store {
	readonly workspaces = new Map<string, Workspace>();
	readonly keys = new Map<string, KeyEntity>();

	constructor(private readonly service: Service) {}

	addWorkspace(entity: WorkspaceEntity): void {
		const workspace = new Workspace(entity, this.service);
		this.workspaces.set(entity.id, workspace);
		workspace.save();
	}

	addKey(entity: KeyEntity): void {
		this.keys.set(entity.key, entity);
		this.service.persistence.put('keys', entity.key, entity);
	}

	/** A file or an output, whose address does not name its workspace. */
	find<T extends Stored>(tableOf: (workspace: Workspace) => Table<T>, id: string): T | undefined {
		for (const workspace of this.workspaces.values()) {
			const entity = tableOf(workspace).get(id);
			if (entity) return entity;
		}
		return undefined;
	}
}
