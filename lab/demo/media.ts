/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { IBinaryData } from 'n8n-workflow';
import type { Execution, Rest } from '../n8n/rest';

/** A file that a node of the example has produced. */
export interface MadeFile {
	/** Name of the node: what it made. */
	kind: string;
	/** Name in the output folder. */
	fileName: string;
	bytes: number;
	/** How long the node took, in seconds. */
	seconds: number;
	/** Id of the generation. */
	generation: string;
	/** What the generation has reserved, as far as the service says. */
	estimatedCredits?: number;
}

/**
 * Writes every file that a run of a node has output into a folder.
 *
 * @param run index of the run, of a node in a loop; default: the last one
 * @param earlier how many files of the node are there already
 */
export async function writeFiles(
	rest: Rest,
	execution: Execution,
	kind: string,
	folder: string,
	{ run: index = -1, earlier = 0 }: { run?: number; earlier?: number } = {},
): Promise<MadeFile[]> {
	mkdirSync(folder, { recursive: true });
	const made: MadeFile[] = [];
	const run = execution.data.resultData.runData[kind]?.at(index);
	// A tool's files stay with its own run.
	const items = (run?.data?.main ?? run?.data?.ai_tool)?.[0] ?? [];
	for (const { json, binary = {} } of items) {
		for (const file of Object.values(binary)) {
			const fileName = nameOf(kind, file, earlier + made.length);
			const content = await rest.download(file);
			writeFileSync(path.join(folder, fileName), content);
			made.push({
				kind,
				fileName,
				bytes: content.length,
				seconds: (run?.executionTime ?? 0) / 1000,
				generation: String(json.resourceId ?? json.id),
				estimatedCredits: json.estimated_credits as number | undefined,
			});
		}
	}
	return made;
}

/** `Spoken line` becomes `spoken-line.wav`, the second of a kind `spoken-line-2.wav`. */
function nameOf(kind: string, file: IBinaryData, earlier: number): string {
	const extension = file.fileExtension ?? file.fileName?.split('.').at(-1) ?? 'bin';
	return `${stemOf(kind)}${earlier ? `-${earlier + 1}` : ''}.${extension}`;
}

/** What the names of a node's files begin with. */
export function stemOf(kind: string): string {
	return kind.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}
