/* eslint-disable @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../../lab/process/paths';
import { withSurface } from './changelog';
import { breaksBetween } from './compare';
import { packageSurface, printed, readSnapshot, surfaceFile } from './package';

/** `npm run surface`: rewrites the snapshot, and lists in CHANGELOG what it breaks. */
async function main(): Promise<void> {
	const surface = await packageSurface();
	const breaks = existsSync(surfaceFile) ? breaksBetween(readSnapshot(), surface) : [];
	const snapshot = printed(surface);
	const changelog = path.join(projectRoot, 'CHANGELOG.md');
	const text = withSurface(readFileSync(changelog, 'utf8'), snapshot, breaks);
	writeFileSync(surfaceFile, snapshot);
	writeFileSync(changelog, text);
	for (const { kind, where, what } of breaks) console.log(`${kind}: ${where} ${what}`);
	console.log(`${breaks.length} breaks of workflows that people have saved`);
}

void main();
