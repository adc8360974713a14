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

/** Where changes are kept over restarts; in memory only, it does nothing. */
export interface Persistence {
	put(table: string, id: string, value: unknown): void;
	remove(table: string, id: string): void;
}

export const noPersistence: Persistence = { put: () => {}, remove: () => {} };

/** The specification does not show for how long a service keeps what has ended. */
export const MOST_KEPT = 5_000;

/** Which entities of a table are forgotten when there are more than {@link MOST_KEPT}. */
interface Forgetting<T> {
	/** The oldest is kept, and with it all others, until it has ended. */
	hasEnded(entity: T): boolean;
	/** What goes with it. */
	after?(entity: T): void;
}

/** Entities of one kind and workspace, found by id and read in order of creation without a scan. */
export class Table<T extends Stored> {
	private readonly byId = new Map<string, T>();
	/** Oldest first. */
	private readonly ordered: T[] = [];

	constructor(
		private readonly name: string,
		private readonly owner: { readonly persistence: Persistence },
		private readonly forgetting?: Forgetting<T>,
	) {}

	get(id: string): T | undefined {
		return this.byId.get(id);
	}

	/** A creation time in microseconds that no entity of this table has. */
	stamp(now: number): number {
		const last = this.ordered.at(-1)?.createdAt ?? 0;
		return Math.max(now * 1000, last + 1);
	}

	/** Adds an entity, or keeps what was changed in it. */
	put(entity: T): T {
		if (!this.byId.has(entity.id)) this.restore(entity);
		this.owner.persistence.put(this.name, entity.id, entity);
		this.forgetOldest();
		return entity;
	}

	private forgetOldest(): void {
		const [oldest] = this.ordered;
		if (!this.forgetting || !oldest || this.ordered.length <= MOST_KEPT) return;
		if (!this.forgetting.hasEnded(oldest)) return;
		this.delete(oldest.id);
		this.forgetting.after?.(oldest);
	}

	/** Takes a kept entity back in; they must come in order of creation. */
	restore(entity: T): void {
		this.byId.set(entity.id, entity);
		this.ordered.push(entity);
	}

	delete(id: string): void {
		const entity = this.byId.get(id);
		if (!entity) return;
		this.byId.delete(id);
		this.ordered.splice(this.position(entity.createdAt), 1);
		this.owner.persistence.remove(this.name, id);
	}

	/** Up to `limit` entities created before an instant (microseconds), newest first. */
	page(limit: number, before = Number.MAX_SAFE_INTEGER): { entities: T[]; more: boolean } {
		const end = this.position(before);
		const start = Math.max(0, end - limit);
		return { entities: this.ordered.slice(start, end).reverse(), more: start > 0 };
	}

	/** All of them, newest first. */
	all(): T[] {
		return [...this.ordered].reverse();
	}

	/** How many were created before an instant: a binary search. */
	private position(createdAt: number): number {
		let low = 0;
		let high = this.ordered.length;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if ((this.ordered[middle]?.createdAt ?? Infinity) < createdAt) low = middle + 1;
			else high = middle;
		}
		return low;
	}
}

/** All collections of one workspace. */
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

	constructor(
		readonly entity: WorkspaceEntity,
		readonly persistence: Persistence,
	) {}

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
		const table = new Table<DeliveryEntity>('deliveries', this, { hasEnded: () => true });
		this.deliveries.set(webhookId, table);
		return table;
	}

	private table<T extends Stored>(name: string): Table<T> {
		return new Table<T>(name, this);
	}

	/** Jobs are forgotten with what they have made. */
	private jobs<T extends JobEntity>(name: string): Table<T> {
		return new Table<T>(name, this, {
			hasEnded: ({ settledAt }) => settledAt !== null,
			after: ({ outputs }) => outputs.forEach((output) => this.outputs.delete(output)),
		});
	}
}

/** Everything that the service knows. */
export class Store {
	readonly workspaces = new Map<string, Workspace>();
	readonly keys = new Map<string, KeyEntity>();

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

	/** A file or an output, whose address does not name its workspace. */
	find<T extends Stored>(tableOf: (workspace: Workspace) => Table<T>, id: string): T | undefined {
		for (const workspace of this.workspaces.values()) {
			const entity = tableOf(workspace).get(id);
			if (entity) return entity;
		}
		return undefined;
	}
}
