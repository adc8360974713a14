import type { OutputEntity, SpeechEntity, Stored } from '../state/entities';
import type { Service } from '../service';
import type { Workspace } from '../state/store';
import type { Table } from '../state/table';

import { outputPath } from './outputs';

/** What shows whether a job has ended, what it cost or will cost, and what went wrong. */
type BilledJob = Stored &
	Pick<SpeechEntity, 'settledAt' | 'spentCredits' | 'estimatedCredits' | 'problems' | 'dueAt'>;

/** A job as the page shows it. */
interface Job {
	id: string;
	workspace: string;
	kind: string;
	status: string;
	text: string;
	credits: number;
	/** Microseconds. */
	createdAt: number;
	/** Real seconds until it is done; `null` once it has ended. */
	due_in: number | null;
	/** Why it, or a part of it, came to nothing. */
	problems: string[];
	previews: Array<{ url: string; media_type: string }>;
}

/** The newest jobs of each kind, as `latest` picks them, and the voices that were made. */
export function jobsOf(
	{ clock }: Service,
	workspace: Workspace,
	latest: <T extends Stored>(table: Table<T>) => T[],
): Job[] {
	const { generations, speech, agentRuns, personas } = workspace;
	const job = (
		entity: BilledJob & { status: string },
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
		due_in:
			entity.settledAt === null
				? Math.max(0, Math.ceil((entity.dueAt - clock.now()) / 1000))
				: null,
		problems: entity.problems.map(({ message, output }) =>
			output === undefined ? message : `${message} (${output})`,
		),
		previews: outputs.map(preview),
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

const preview = (output: OutputEntity) => ({
	url: outputPath(output),
	media_type: output.mediaType,
});
