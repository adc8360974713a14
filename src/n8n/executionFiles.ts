import type { IBinaryData, INodeExecutionData } from 'n8n-workflow';
import { isRecord, type Json } from '../base/types';
import { FILES_KEY } from '../fields/rules/media';
import type { StoredFile } from '../transport/host';
import type { ExecutionFile, RunContext } from './nodeCall';

/*
 * The files of an execution. An expression may lead to a file of another node, or to what a node has made of
 * it in its json. But a stranger may write the id of somebody else's file into such json. So a file is taken
 * only if some node of this execution has put it out as a file.
 */

/** What n8n gives to expressions about the nodes of the execution. */
interface DataProxy {
	$node: Record<string, { runIndex: number }>;
	$items(node: string, output: number, run: number): INodeExecutionData[];
}

const isFile = (value: unknown): value is IBinaryData =>
	isRecord(value) && 'mimeType' in value && ('data' in value || 'id' in value);

/**
 * The files of an item in the binary mode "combined", in which n8n keeps them in the json. In any other mode
 * the json cannot be trusted: a file id in it may be anybody's.
 */
export function filesOf({
	json = {},
	binary = {},
}: Pick<Partial<INodeExecutionData>, 'json' | 'binary'>): Record<string, IBinaryData> {
	const inJson: unknown = json[FILES_KEY];
	if (!isRecord(inJson)) return binary;
	const files = Object.entries(inJson).filter((entry): entry is [string, IBinaryData] =>
		isFile(entry[1]),
	);
	return { ...Object.fromEntries(files), ...binary };
}

/** The nodes that an expression names: `$('Name')`, `$node["Name"]`, `$node.Name`, `$items('Name')`. */
const NAMED_NODES = /\$(?:\(|items\(|node\[)\s*(["'`])((?:\\.|(?!\1)[^\\])*)\1|\$node\.(\w+)/g;

function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	if (typeof value !== 'object' || value === null) return [];
	return Object.values(value).flatMap(textsIn);
}

/** The nodes whose files an expression can lead to: those before this one, and those that it names. */
function nodesOf(context: RunContext): Set<string> {
	const { name, parameters } = context.getNode();
	const before = context.getParentNodes(name).map((node) => node.name);
	const named = textsIn(parameters).flatMap((text) =>
		[...text.matchAll(NAMED_NODES)].map(([, , quoted = '', plain = '']) =>
			quoted === '' ? plain : quoted.replace(/\\(.)/g, '$1'),
		),
	);
	return new Set([...before, ...named]);
}

/** Everything that a node has put out, in all its runs and at all its outputs. */
function* itemsPutOutBy({ $node, $items }: DataProxy, node: string): Generator<INodeExecutionData> {
	let lastRun = -1;
	try {
		lastRun = Number($node[node]?.runIndex);
	} catch {
		// There is no such node.
	}
	for (let runIndex = 0; runIndex <= lastRun; runIndex += 1) {
		for (let output = 0; ; output += 1) {
			let items: INodeExecutionData[] | null;
			try {
				items = $items(node, output, runIndex);
			} catch {
				// The node has no such output, or not in this run.
				break;
			}
			yield* items ?? [];
		}
	}
}

/** Names a file that has no id by what n8n says of it. n8n does not always give its data. */
const descriptionOf = (file: Json): string =>
	JSON.stringify(
		Object.entries(file)
			.filter(([name, value]) => name !== 'data' && value !== undefined)
			.sort(([one], [other]) => (one < other ? -1 : 1)),
	);

/** The files of an execution, by what tells them apart. */
export class ExecutionFiles {
	private readonly byId = new Map<string, ExecutionFile>();
	private readonly byDescription = new Map<string, ExecutionFile[]>();
	/** How many files stand at each place. */
	private readonly named = new Map<string, number>();

	add(node: string, field: string, file: IBinaryData): void {
		const { id } = file;
		if (id !== undefined) {
			if (!this.byId.has(id)) this.byId.set(id, this.withName(node, field, file));
			return;
		}
		const description = descriptionOf({ ...file });
		const equal = this.byDescription.get(description) ?? [];
		if (equal.some((one) => one.file.data === file.data)) return;
		equal.push(this.withName(node, field, file));
		this.byDescription.set(description, equal);
	}

	find(described: Json): ExecutionFile | undefined {
		const { id, data } = described;
		if (id !== undefined) return this.byId.get(String(id));
		const equal = this.byDescription.get(descriptionOf(described)) ?? [];
		const same = equal.filter(({ file }) => data === undefined || file.data === data);
		return same.length === 1 ? same[0] : undefined;
	}

	private withName(node: string, field: string, file: IBinaryData): ExecutionFile {
		const fieldOfNode = `${field} of ${node}`;
		const number = 1 + (this.named.get(fieldOfNode) ?? 0);
		this.named.set(fieldOfNode, number);
		return {
			name: number === 1 ? fieldOfNode : `${fieldOfNode} (${number})`,
			file: file as StoredFile,
		};
	}
}

/**
 * Reads the files of all nodes that an expression can lead to. There are none where n8n keeps no such data.
 */
export function readFiles(context: RunContext, isCombined: boolean): ExecutionFiles {
	const files = new ExecutionFiles();
	try {
		const data = context.getWorkflowDataProxy(0) as unknown as DataProxy;
		for (const node of nodesOf(context)) {
			for (const item of itemsPutOutBy(data, node)) {
				const { binary = {} } = item;
				const ofItem = isCombined ? filesOf(item) : binary;
				for (const [field, file] of Object.entries(ofItem))
					if (isFile(file)) files.add(node, field, file);
			}
		}
	} catch {
		// n8n's own Agents have no execution.
	}
	return files;
}
