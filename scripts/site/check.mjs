// Checks the built site: no dead link, anchor or picture on any page, and nothing that axe objects to, light and dark, on a
// page of each kind. Looking at all pages took a minute and a half, and their frame and colours come from the theme.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
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

/** The file that a host of static pages gives for an address, which is without `.html`. */
function fileAt(address) {
	const place = path.join(dist, address);
	const files = [`${place}.html`, path.join(place, 'index.html'), place];
	return files.find((file) => existsSync(file) && statSync(file).isFile());
}

/** Links of a page to places of the site that are not there. */
function deadLinks(page) {
	const html = readFileSync(path.join(dist, page), 'utf8');
	const places = [...html.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, place]) => place);
	const own = new Set(places.filter((place) => !/^[a-z]+:/.test(place)));
	return [...own]
		.filter((place) => {
			const { pathname, hash } = new URL(place, `http://host${base}${page}`);
			const file = fileAt(decodeURIComponent(pathname).slice(base.length));
			const anchor = decodeURIComponent(hash.slice(1));
			return !file || (anchor && !readFileSync(file, 'utf8').includes(` id="${anchor}"`));
		})
		.map((place) => `${page}: nothing is at ${place}`);
}

/** What axe finds on a page. */
async function problemsOf(page, url, colorScheme) {
	await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
	await page.goto(url);
	// Diagrams are drawn in the browser.
	await page.waitForFunction('!document.querySelector("pre.diagram")');
	await page.evaluate(axe);
	const { violations } = await page.evaluate('axe.run()');
	return violations.map(({ id, nodes: [{ html, failureSummary }] }) =>
		[url, colorScheme, id, html, failureSummary].join('\n  '),
	);
}

const app = express().use(base, (request, response) =>
	response.sendFile(fileAt(decodeURIComponent(request.path)) ?? '', { dotfiles: 'allow' }),
);
const server = app.listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const origin = `http://127.0.0.1:${server.address().port}${base}`;
const browser = await launchChromium();
try {
	const files = readdirSync(dist, { recursive: true });
	const pages = files.filter((file) => file.endsWith('.html') && file !== '404.html');
	const problems = pages.flatMap(deadLinks);
	const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
	// Beside an n8n that starts, drawing a diagram takes over half a minute.
	page.setDefaultTimeout(180_000);
	for (const kind of KINDS)
		for (const colorScheme of ['light', 'dark'])
			problems.push(...(await problemsOf(page, `${origin}${kind}`, colorScheme)));
	for (const problem of problems) console.error(problem);
	console.log(`${pages.length} pages, ${problems.length} problems`);
	if (problems.length > 0 || pages.length < 30) process.exitCode = 1;
} finally {
	await browser.close();
	server.close();
}
