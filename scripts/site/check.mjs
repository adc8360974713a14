// Checks the built site in a browser: no dead link, anchor or picture, and nothing that axe objects to, light and,
// on every fifth page, dark: the colours come from the theme.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import express from 'express';
import { LinkChecker } from 'linkinator';
import { launchChromium } from '../../lab/n8n/chromium.ts';

const base = '/n8n-nodes-mediagen';
const dist = fileURLToPath(new URL('../../dist/site', import.meta.url));
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Serves the site as a host of static pages does: without `.html`. */
async function serve() {
	const app = express();
	app.use(base, (request, response, next) => {
		const page = path.join(dist, `${request.path}.html`);
		if (existsSync(page)) response.sendFile(page, { dotfiles: 'allow' });
		else next();
	});
	app.use(base, express.static(dist));
	const server = app.listen(0, '127.0.0.1');
	await new Promise((resolve) => server.once('listening', resolve));
	return { server, origin: `http://127.0.0.1:${server.address().port}` };
}

/** Follows every link from the first page on; gives the addresses of the pages and what is dead. */
async function follow(origin) {
	const pages = new Set();
	const checker = new LinkChecker();
	checker.on('pagestart', (url) => pages.add(String(url).split('#')[0]));
	// Other hosts are not asked: the check must not depend on them.
	const linksToSkip = [`^(?!${origin})`];
	const { links } = await checker.check({
		path: `${origin}${base}/`,
		recurse: true,
		cleanUrls: true,
		checkFragments: true,
		linksToSkip,
	});
	const checked = links.filter(({ state }) => state !== 'SKIPPED');
	const dead = checked
		.filter(({ state }) => state === 'BROKEN')
		.map(({ url, parent, status }) => `dead: ${url} on ${parent} (${status})`);
	return { pages: [...pages], checked: checked.length, dead };
}

/** What axe finds on a page, and pictures that are not shown. */
async function problemsOf(page, { url, schemes }) {
	await page.emulateMedia({ colorScheme: schemes[0] });
	await page.goto(url);
	await page.evaluate(axe);
	const problems = [];
	for (const scheme of schemes) {
		await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
		// Diagrams are drawn again in the colours of the scheme.
		await page.waitForFunction('!document.querySelector("pre.diagram")');
		await page.waitForTimeout(300);
		const { violations } = await page.evaluate('axe.run()');
		for (const { id, nodes } of violations) {
			const [{ html, failureSummary = '' }] = nodes;
			problems.push(
				`${scheme} ${url}: ${id}, ${nodes.length} times: ${html.slice(0, 200)} ${failureSummary.replaceAll('\n', ' ').slice(0, 220)}`,
			);
		}
	}
	const missing = await page.evaluate(
		'[...document.images].filter((image) => image.loading !== "lazy" && image.naturalWidth === 0).map(({ src }) => src)',
	);
	return [...problems, ...missing.map((src) => `${url}: no picture at ${src}`)];
}

const { server, origin } = await serve();
const browser = await launchChromium();
try {
	const { pages, checked, dead } = await follow(origin);
	const html = pages.filter((url) => !/\.(json|ts|yml|mjs|css|js|png|svg|gif)$/.test(url));
	const problems = [...dead];
	const open = html.map((url, index) => ({
		url,
		schemes: index % 5 === 0 ? ['light', 'dark'] : ['light'],
	}));
	const check = async () => {
		const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
		// Beside an n8n that starts, drawing a diagram takes over half a minute.
		page.setDefaultTimeout(180_000);
		for (let next = open.pop(); next; next = open.pop())
			problems.push(...(await problemsOf(page, next)));
	};
	await Promise.all([check(), check()]);
	for (const problem of problems) console.error(problem);
	console.log(`${html.length} pages, ${checked} links, ${problems.length} problems`);
	if (problems.length > 0 || html.length < 30) process.exitCode = 1;
} finally {
	await browser.close();
	server.close();
}
