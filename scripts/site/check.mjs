// Looks at the built site in a browser, at a page of each kind: nothing that axe objects to, light and dark,
// and every link and picture leads to something. Looking at all pages took a minute and a half, and their
// frame and colours come from the theme. Dead links between pages are found by the build itself, anchors by
// test/docs/links.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import express from 'express';
import { launchChromium } from '../../lab/n8n/chromium.ts';

const manifest = new URL('../../package.json', import.meta.url);
const { homepage } = JSON.parse(readFileSync(manifest, 'utf8'));
const base = `${new URL(homepage).pathname.replace(/\/$/, '')}/`;
const dist = fileURLToPath(new URL('../../dist/site', import.meta.url));
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * A list of steps, diagrams beside code, pictures beside wide tables, a page of messages, a page of pictures.
 */
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

/** What the page that is open names and the site does not have. */
async function deadLinksOf(page) {
	const links = await page.$$eval('a[href], img[src]', (all) =>
		all.map(({ href, src }) => (href ?? src).split('#')[0]),
	);
	const own = [...new Set(links)].filter((link) => link.startsWith(origin));
	const answers = await Promise.all(own.map(async (link) => (await fetch(link)).ok));
	const dead = own.filter((_, index) => !answers[index]);
	return dead.map((link) => `${page.url()} leads to ${link}, which is not there`);
}

// As GitHub Pages: `docs/nodes` is the page, although there is a folder of this name, too.
function findPage(request, _response, next) {
	if (existsSync(`${dist}${request.path}.html`)) request.url = `${request.path}.html`;
	next();
}

const server = express().use(base, findPage, express.static(dist)).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const origin = `http://127.0.0.1:${server.address().port}${base}`;
const browser = await launchChromium();
try {
	const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
	// Beside an n8n that starts, drawing a diagram takes over half a minute.
	page.setDefaultTimeout(180_000);
	const problems = [];
	for (const kind of KINDS) {
		for (const colorScheme of ['light', 'dark'])
			problems.push(...(await problemsOf(page, `${origin}${kind}`, colorScheme)));
		problems.push(...(await deadLinksOf(page)));
	}
	for (const problem of problems) console.error(problem);
	console.log(`${KINDS.length} pages, ${problems.length} problems`);
	if (problems.length > 0) process.exitCode = 1;
} finally {
	await browser.close();
	server.close();
}
