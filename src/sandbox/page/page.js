/** The page looks once a second; it needs no build step and no library. */
const byId = (id) => document.getElementById(id);

/** All text goes through here as text, never as markup. */
function element(tag, properties = {}, ...children) {
	const node = Object.assign(document.createElement(tag), properties);
	node.append(...children.map((child) => child ?? ''));
	return node;
}

const clockTime = (date) => new Date(date).toLocaleTimeString([], { hour12: false });

const BUSY = ['queued', 'pending', 'running', 'waiting', 'plan_proposed', 'awaiting_review'];
const tone = (status) =>
	BUSY.includes(status) ? 'busy' : ['failed', 'lost'].includes(status) ? 'bad' : 'good';

/** Lists are drawn anew only when they changed, so that players keep playing. */
const drawn = new Map();
function draw(id, items, render) {
	const text = JSON.stringify(items);
	if (drawn.get(id) === text) return;
	drawn.set(id, text);
	byId(id).replaceChildren(...items.map(render));
}

/** Jobs are kept by id: a new one must not stop the playing of those that are there. */
const jobNodes = new Map();
function drawJobs(jobs) {
	const nodes = jobs.map((job) => {
		// A signed link is another one each time; what counts is what it points to.
		const previews = job.previews.map(({ url }) => url.split('?')[0]);
		const text = JSON.stringify({ ...job, previews });
		const known = jobNodes.get(job.id);
		if (known?.text === text) return known.node;
		const node = renderJob(job);
		jobNodes.set(job.id, { text, node });
		return node;
	});
	const shown = byId('jobs');
	const same = nodes.length === shown.children.length;
	if (same && nodes.every((node, index) => shown.children[index] === node)) return;
	shown.replaceChildren(...nodes);
}

function renderJob({ id, kind, status, text, credits, workspace, previews }) {
	const node = element(
		'article',
		{ className: 'job' },
		element('b', {}, kind),
		' ',
		element('span', { className: tone(status) }, status),
		element('p', {}, text),
		element(
			'div',
			{ className: previews.length > 1 ? 'previews many' : 'previews' },
			...previews.slice(0, 4).map(renderPreview),
		),
		element('small', {}, `${credits} credits · ${workspace} · ${id}`),
	);
	node.dataset.id = id;
	return node;
}

function renderPreview({ url, media_type: type }) {
	if (type.startsWith('image/')) return element('img', { src: url, loading: 'lazy', alt: '' });
	if (type.startsWith('video/')) {
		return element('video', {
			src: url,
			muted: true,
			loop: true,
			autoplay: true,
			playsInline: true,
		});
	}
	return element('audio', { src: url, controls: true, preload: 'none' });
}

function renderWorkspace({ id, entitled, available, reserved, spent }) {
	const button = element('button', { type: 'button' }, '+ 1,000');
	button.addEventListener('click', () => send('POST', 'credits', { workspace: id, amount: 1000 }));
	return element(
		'div',
		{ className: 'card' },
		entitled ? id : `${id} (not entitled)`,
		element('b', {}, available.toLocaleString('en')),
		element('small', {}, `${reserved} reserved · ${spent} spent `),
		button,
	);
}

const renderRequest = (entry) =>
	element(
		'tr',
		{},
		element('td', {}, clockTime(entry.at)),
		element('td', {}, `${entry.method} ${entry.path.replace(/^\/v1/, '')}`),
		element('td', {}, entry.workspace),
		element(
			'td',
			{ className: entry.status && entry.status < 400 && entry.answered ? 'good' : 'bad' },
			`${entry.status ?? '–'}${entry.fault ? ` ${entry.fault}` : ''}`,
		),
		element('td', {}, String(entry.duration_ms)),
	);

const renderDelivery = (entry) =>
	element(
		'tr',
		{},
		element('td', {}, clockTime(entry.at)),
		element('td', {}, entry.event),
		element('td', {}, entry.url),
		element('td', {}, String(entry.attempt)),
		element(
			'td',
			{ className: tone(entry.state) },
			`${entry.state} ${entry.status ?? ''} ${entry.fault ?? ''}`,
		),
	);

function renderFault({ kind, hits, seen, times, probability, operations }) {
	const where = operations ? ` on ${operations.join(', ')}` : '';
	const often = `${times === undefined ? '' : ` at most ${times} times`}${probability < 1 ? ` with probability ${probability}` : ''}`;
	return element('li', {}, element('b', {}, kind), `${where}${often}: struck ${hits} of ${seen}`);
}

async function send(method, path, body) {
	await fetch(`/sandbox/${path}`, {
		method,
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	await look();
}

async function look() {
	const state = byId('state');
	try {
		const answer = await (await fetch('/sandbox/overview')).json();
		byId('base-url').textContent = answer.base_url;
		byId('scale').textContent = answer.clock_scale;
		byId('requests-total').textContent = `${answer.requests_total} in all`;
		draw('workspaces', answer.workspaces, renderWorkspace);
		drawJobs(answer.jobs);
		draw('requests', answer.requests, renderRequest);
		draw('deliveries', answer.deliveries, renderDelivery);
		draw('faults', answer.faults, renderFault);
		state.textContent = `as of ${clockTime(answer.now)}`;
		state.className = 'good';
	} catch {
		state.textContent = 'the sandbox does not answer';
		state.className = 'bad';
	}
}

byId('faults-off').addEventListener('click', () => send('PUT', 'faults', { rules: [] }));
await look();
setInterval(look, 1000);
