import { formatMilliseconds } from '../formatters/date';
import type { DeliveryEntity, OutputEntity, SpeechEntity, Stored } from '../state/entities';
import type { Service } from '../service';
import type { Workspace } from '../state/store';
import type { Table } from '../state/table';

const SHOWN = 40;

/** What the page shows: the newest of everything, cheap enough to be asked for every second. */
export function overview(service: Service): object {
	const { ledger, faults, requests, clock, store, links } = service;
	const workspaces = [...store.workspaces.values()];
	return {
		base_url: `${links.origin}/v1`,
		now: formatMilliseconds(clock.now()),
		clock_scale: clock.scale,
		workspaces: workspaces.map(({ id, entity }) => ({
			id,
			entitled: entity.entitled,
			...ledger.balance(id),
		})),
		jobs: newest(workspaces.flatMap((workspace) => jobsOf(service, workspace))).map(
			({ createdAt, ...job }) => ({ ...job, created: formatMilliseconds(createdAt / 1000) }),
		),
		requests: requests
			.latest(SHOWN * 4)
			.filter(({ path }) => path.startsWith('/v1'))
			.slice(0, SHOWN)
			.map(({ at, ...entry }) => ({
				at: formatMilliseconds(at),
				method: entry.method,
				path: entry.path,
				workspace: entry.workspace,
				status: entry.status,
				answered: entry.answered,
				duration_ms: entry.durationMs,
				fault: entry.fault,
			})),
		requests_total: requests.total,
		deliveries: newest(workspaces.flatMap(deliveriesOf)).map((entity) => ({
			at: formatMilliseconds(entity.attemptedAt),
			event: entity.event,
			url: entity.url,
			attempt: entity.attempt,
			state: entity.state,
			status: entity.responseStatus,
			fault: entity.fault,
		})),
		faults: faults.list(),
	};
}

/** What tells whether a job has ended, and what it cost or will cost. */
type Ended = Stored & Pick<SpeechEntity, 'settledAt' | 'spentCredits' | 'estimatedCredits'>;

interface Job {
	id: string;
	workspace: string;
	kind: string;
	status: string;
	text: string;
	credits: number;
	createdAt: number;
	previews: Array<{ url: string; media_type: string }>;
}

function jobsOf(service: Service, workspace: Workspace): Job[] {
	const { generations, speech, agentRuns, personas } = workspace;
	const job = (
		entity: Ended & { status: string },
		kind: string,
		text: string,
		outputs: OutputEntity[],
	): Job => ({
		id: entity.id,
		workspace: workspace.id,
		kind,
		status: entity.status,
		text: text.slice(0, 200),
		createdAt: entity.createdAt,
		credits: entity.settledAt === null ? entity.estimatedCredits : entity.spentCredits,
		previews: outputs.map((output) => preview(service, output)),
	});
	return [
		...latest(generations).map((each) => {
			const outputs = each.status === 'queued' ? [] : each.outputs;
			return job(each, each.kind, each.prompt, outputs);
		}),
		...latest(speech).map((each) => {
			const output = each.status === 'completed' && each.output ? [each.output] : [];
			return job(each, 'speech', each.blocks[0]?.text ?? '', output);
		}),
		...latest(agentRuns).map((each) => job(each, 'agent', each.brief, each.outputs)),
		...latest(personas).map((each) =>
			job(each, 'persona', each.name, each.portrait ? [each.portrait] : []),
		),
	];
}

function preview({ links, outputs, settings }: Service, output: OutputEntity) {
	const delivery = outputs.find(output.id)?.delivery ?? 'public_url';
	const { url } = links.output(output, delivery, settings.signedSeconds);
	return { url, media_type: output.mediaType };
}

function deliveriesOf({ deliveries }: Workspace): DeliveryEntity[] {
	return [...deliveries.values()].flatMap(latest);
}

function latest<T extends Stored>(table: Table<T>): T[] {
	return table.page(SHOWN).entities;
}

function newest<T extends { createdAt: number }>(entities: T[]): T[] {
	return entities.sort((a, b) => b.createdAt - a.createdAt).slice(0, SHOWN);
}
