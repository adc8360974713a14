/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { measureEvents } from './n8n/events';
import { loading } from './micro/loading';
import { cells, makespanFigures, makespanTables } from './simulation/makespan';
import { plot } from './report/plot';
import { real } from './n8n';
import { alone, sharing } from './simulation/servers';
import { figureTable, markdown, type Figure } from './report/table';
import { verification } from './micro/verify';
import { waiting } from './micro/waiting';

const root = path.resolve(__dirname, '..');
const docs = path.join(root, 'docs');
const PLOT = path.join('images', 'makespan.svg');

const isQuick = process.argv.includes('--quick');

const tell = (line: string) => process.stderr.write(`${line}\n`);

const git = (...args: string[]) =>
	execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

/** The commit that is measured, and whether what is measured differs from it. */
function commit(): string {
	const changed = git('status', '--porcelain', '--', 'src', 'nodes', 'credentials', 'bench');
	return `${git('rev-parse', '--short', 'HEAD')}${changed ? ' with changes' : ''}`;
}

/** n8n makes an isolate for each delivery to any node but its own Webhook node without expressions, unless told to be lazy. */
const EVENT_SETTINGS = {
	default: "n8n's defaults",
	lazy: 'N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true',
} as const;

async function events(setting: keyof typeof EVENT_SETTINGS): Promise<Figure> {
	const { trigger, webhook, webhookWithExpression } = await measureEvents(setting);
	const rates = [trigger, webhook, webhookWithExpression].map((rate) => rate.toFixed(0));
	const ratio = trigger / webhook;
	return {
		name: `events a second, trigger against Webhook node, ${EVENT_SETTINGS[setting]}`,
		value: ratio.toFixed(2),
		target: '≥ 0.8',
		isMet: ratio >= 0.8,
		note: `${rates[0]} and ${rates[1]} a second in turns; the Webhook node with an expression: ${rates[2]}`,
	};
}

/** What the sandbox's own bench prints: it starts three servers, so it is a process of its own. */
function sandbox(): string {
	const script = path.join(__dirname, 'sandbox', 'main.ts');
	return execFileSync(process.execPath, ['--import', 'tsx', script], {
		cwd: root,
		encoding: 'utf8',
	});
}

async function slowFigures(): Promise<Figure[]> {
	tell('Loading, waiting items, deliveries …');
	const load = await loading();
	const local = [...verification(), ...(await waiting()), ...load];
	tell('A real n8n …');
	const inN8n = await real(tell);
	return [...local, ...inN8n, await events('default'), await events('lazy')];
}

async function main(): Promise<void> {
	const measured = `Commit ${commit()}, Node ${process.version}.`;
	tell('Simulating …');
	const all = await cells();
	const quick = [...makespanFigures(all), ...(await alone()), ...(await sharing())];
	const figures = isQuick ? quick : [...quick, ...(await slowFigures())];
	const intro =
		'Ratios are measured side by side in one run. R = 60 requests a minute, C = 5 concurrent jobs, round trip 0.25 s.';
	const tables = [figureTable('Figures and targets', intro, figures), ...makespanTables(all)];
	const parts = [
		'# Performance',
		'',
		`Made by \`npm run bench\`. ${measured}`,
		'',
		...tables.map(markdown),
	];
	if (!isQuick) {
		tell('The sandbox …');
		parts.push(
			'## The sandbox against a bare express route',
			'',
			'```',
			sandbox().trim(),
			'```',
			'',
		);
	}
	console.log(parts.join('\n'));
	if (isQuick) return;
	mkdirSync(path.join(docs, 'images'), { recursive: true });
	writeFileSync(path.join(docs, PLOT), plot(all));
	parts.splice(4, 0, `![Time beyond the bound by client](${PLOT})`, '');
	writeFileSync(path.join(docs, 'performance.md'), parts.join('\n'));
}

main().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
