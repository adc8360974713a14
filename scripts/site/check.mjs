// Looks at the built site in a browser: nothing that axe objects to, light and dark, on a page of each kind. Looking at all
// pages took a minute and a half, and their frame and colours come from the theme. Dead links are found by the build itself,
// anchors by test/docs/links.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import express from 'express';
import { launchChromium } from '../../lab/n8n/chromium.ts';

const base = '/n8n-nodes-mediagen/';
const dist = fileURLToPath(new URL('../../dist/site', import.meta.url));
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A list of steps, diagrams beside code, pictures beside wide tables, a page of messages, a page of pictures. */
const KINDS = [
	'index',
	'docs/development',
	'docs/nodes/mediagen',
	'docs/troubleshooting',
	'examples/index',
];

/** What axe finds on a page. */
async function problemsOf(page, url, colorScheme) {
	await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
	const response = await page.goto(url);
	if (!response.ok()) return [`${url}: ${response.status()}`];
	// Diagrams are drawn in the browser.
	await page.waitForFunction('!document.querySelector("pre.diagram")');
	await page.evaluate(axe);
	const { violations } = await page.evaluate('axe.run()');
	return violations.map(({ id, nodes: [{ html, failureSummary }] }) =>
		[url, colorScheme, id, html, failureSummary].join('\n  '),
	);
}

const server = express()
	.use(base, express.static(dist, { extensions: ['html'] }))
	.listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const origin = `http://127.0.0.1:${server.address().port}${base}`;
const browser = await launchChromium();
try {
	const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
	// Beside an n8n that starts, drawing a diagram takes over half a minute.
	page.setDefaultTimeout(180_000);
	const problems = [];
	for (const kind of KINDS)
		for (const colorScheme of ['light', 'dark'])
			problems.push(...(await problemsOf(page, `${origin}${kind}`, colorScheme)));
	for (const problem of problems) console.error(problem);
	console.log(`${KINDS.length} pages, ${problems.length} problems`);
	if (problems.length > 0) process.exitCode = 1;
} finally {
	await browser.close();
	server.close();
}
