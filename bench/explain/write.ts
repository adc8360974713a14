/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { writeFileSync } from 'node:fs';
import { POLICIES } from '../../src/transport/limits/policies';
import { markdown } from '../report/table';
import { NOT_ADAPTIVE } from './constants';
import { explainAll } from './measure';
import { explainTables } from './table';

/** Measures each constant, halved and doubled, and writes the page about them. */
export async function writeExplanation(
	file: string,
	measured: string,
	log: (line: string) => void,
): Promise<void> {
	const given = await explainAll(log);
	writeFileSync(file, explanation(given, measured));
}

/** The page, from what was measured. */
function explanation(
	{ now, all }: Awaited<ReturnType<typeof explainAll>>,
	measured: string,
): string {
	const price = POLICIES.polling.requestPriceMs / 1_000;
	return [
		'# Tuning',
		'',
		`The next poll goes out when the slots of jobs that have probably ended have stood idle for ${price} s in all, longer the fewer requests the creations leave, or when the first job is due by its age.`,
		'',
		`Nobody has to set anything here. The figures below are those of the parts that adapt to the service (\`src/transport/limits/policies.ts\`), written by \`npm run bench -- --explain\`. ${measured} What a workspace allows is set in the credential: [limits](limits.md). What is tried again: [retries](retries.md).`,
		'',
		`When something is given up is not part of adapting: ${NOT_ADAPTIVE.map((name) => `\`${name}\``).join(', ')}. Tests hold these, and they are in the table of retries.`,
		'',
		...explainTables(now, all).map(markdown),
	].join('\n');
}
