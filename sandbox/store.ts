import type {
	AgentRunEntity,
	DeliveryEntity,
	FileEntity,
	GenerationEntity,
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

/** Where changes are kept over restarts, and found again; in memory only, it does nothing. */
export interface Persistence {
	/** All values of a table, in the order of their ids. */
	values<T>(table: string): T[];
	put(table: string, id: string, value: unknown): void;
	remove(table: string, id: string): void;
}

export const noPersistence: Persistence = { values: () => [], put: () => {}, remove: () => {} };

/** The specification does not show for how long a service keeps what has ended. */
export const MOST_KEPT = 5_000;

/** Entities of one kind and workspace, by id, in order of creation. */
export class Table<T extends Stored> {
	/** Oldest first. */
	private readonly byId = new Map<string, T>();
	private readonly name: string;
	private lastCreated = 0;

	constructor(
		kind: string,
		private readonly owner: Workspace,
		/** Forgets the oldest where there are more than {@link MOST_KEPT}. */
		private readonly isBounded = false,
	) {
		this.name = `${kind}/${owner.id}`;
		const kept = owner.service.persistence.values<T>(this.name);
		for (const entity of kept.sort((a, b) => a.createdAt - b.createdAt)) this.add(entity);
	}

	get(id: string): T | undefined {
		return this.byId.get(id);
	}

	/** A creation time that no entity of this table has. */
	stamp(now: number): number {
		return Math.max(now, this.lastCreated + 1);
	}

	/** Adds an entity, or keeps what was changed in it. */
	put(entity: T): T {
		this.add(entity);
		this.owner.service.persistence.put(this.name, entity.id, entity);
		if (this.isBounded) this.forgetOldest();
		return entity;
	}

	private forgetOldest(): void {
		const [oldest] = this.byId.values();
		// One that has not ended is kept, and with it all others.
		if (!oldest || oldest.settledAt === null || this.byId.size <= MOST_KEPT) return;
		this.delete(oldest.id);
		if (oldest.outputs) this.owner.forget(oldest.outputs);
	}

	private add(entity: T): void {
		this.byId.set(entity.id, entity);
		this.lastCreated = Math.max(this.lastCreated, entity.createdAt);
	}

	delete(id: string): void {
		if (this.byId.delete(id)) this.owner.service.persistence.remove(this.name, id);
	}

	/** Up to `limit` entities created before an instant, newest first. */
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
	readonly id: string;
	readonly files: Table<FileEntity>;
	readonly outputs: Table<OutputEntity>;
	readonly generations: Table<GenerationEntity>;
	readonly speech: Table<SpeechEntity>;
	readonly agentRuns: Table<AgentRunEntity>;
	readonly voices: Table<VoiceEntity>;
	readonly personas: Table<PersonaEntity>;
	readonly webhooks: Table<WebhookEntity>;
	/** By the id of the webhook; those of webhooks deleted since the start, too. */
	readonly deliveries = new Map<string, Table<DeliveryEntity>>();
	/** Instants of the requests of the last minute that were let through, oldest first. */
	readonly passed: number[] = [];

	constructor(
		readonly entity: WorkspaceEntity,
		/** That it is a workspace of. */
		readonly service: Service,
	) {
		this.id = entity.id;
		this.files = new Table('files', this);
		this.outputs = new Table('outputs', this);
		this.generations = new Table('generations', this, true);
		this.speech = new Table('speech', this, true);
		this.agentRuns = new Table('agentRuns', this, true);
		this.voices = new Table('voices', this);
		this.personas = new Table('personas', this);
		this.webhooks = new Table('webhooks', this);
		for (const { id } of this.webhooks.all()) this.deliveriesOf(id);
	}

	/** Forgets what a job has made that is no longer kept itself, and counts the job. */
	forget(outputs: string[]): void {
		for (const output of outputs) this.outputs.delete(output);
		this.entity.forgottenJobs = (this.entity.forgottenJobs ?? 0) + 1;
		this.save();
	}

	/** Keeps what was changed in the workspace itself. */
	save(): void {
		this.service.persistence.put('workspaces', this.id, this.entity);
	}

	/** The delivery attempts of one webhook. */
	deliveriesOf(webhookId: string): Table<DeliveryEntity> {
		const known = this.deliveries.get(webhookId);
		if (known) return known;
		const table = new Table<DeliveryEntity>(`deliveries/${webhookId}`, this, true);
		this.deliveries.set(webhookId, table);
		return table;
	}
}

/** Everything that the service knows. */
export class Store {
	readonly workspaces = new Map<string, Workspace>();
	readonly keys = new Map<string, KeyEntity>();

	constructor(private readonly service: Service) {
		const { persistence } = service;
		for (const each of persistence.values<WorkspaceEntity>('workspaces')) this.addWorkspace(each);
		for (const each of persistence.values<KeyEntity>('keys')) this.addKey(each);
	}

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
