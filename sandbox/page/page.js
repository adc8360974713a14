/** The page asks for everything once a second; it needs no build step and no library. */
const byId = (id) => document.getElementById(id);

/** All text goes through here as text, never as markup. */
function element(tag, properties = {}, ...children) {
	const node = document.createElement(tag);
	for (const [name, value] of Object.entries(properties)) {
		if (name in node) node[name] = value;
		else node.setAttribute(name, value);
	}
	node.append(...children.filter((child) => child !== undefined && child !== ''));
	return node;
}

const time = (date) => new Date(date).toLocaleTimeString([], { hour12: false });
const words = (name) =>
	name
		.replace(/([A-Z])/g, ' $1')
		.replaceAll('_', ' ')
		.toLowerCase();

/** Says for a while what a click has done, also to whoever hears the page. */
let silence;
function say(text, isBad = false) {
	clearTimeout(silence);
	silence = setTimeout(() => byId('said').replaceChildren(), 8_000);
	byId('said').textContent = text;
	byId('said').className = isBad ? 'bad' : 'good';
}

/** One call of the admin path; gives its answer, or undefined after saying why not. */
async function send(method, path, body) {
	const headers = { 'content-type': 'application/json' };
	const answer = await fetch(`/sandbox/${path}`, { method, headers, body: JSON.stringify(body) });
	const given = await answer.json();
	if (answer.ok) return given;
	say(given.error.message, true);
	return undefined;
}

/**
 * Brings a list in line with what there is. Only what has changed is drawn again, so that players
 * play on, and the focus stays where it was.
 */
const lists = new Map();
function draw(id, items, render, total = items.length) {
	const known = lists.get(id) ?? new Map();
	const nodes = items.map((item, index) => {
		const text = JSON.stringify(item);
		const key = item.id ?? item.key ?? index;
		const old = known.get(key);
		const node = old?.text === text ? old.node : render(item, index);
		if (old && node !== old.node) {
			const focused = old.node.contains(document.activeElement) && document.activeElement.title;
			old.node.replaceWith(node);
			if (focused) node.querySelector(`[title="${focused}"]`)?.focus();
		}
		return [key, { text, node }];
	});
	const now = new Map(nodes);
	for (const [key, { node }] of known) if (!now.has(key)) node.remove();
	let next = byId(id).firstChild;
	for (const { node } of now.values()) {
		if (node === next) next = next.nextSibling;
		else byId(id).insertBefore(node, next);
	}
	lists.set(id, now);
	if (byId(`${id}-empty`)) byId(`${id}-empty`).hidden = items.length > 0;
	if (byId(`${id}-count`)) byId(`${id}-count`).textContent = counted(items.length, total);
}

const number = (value) => value.toLocaleString('en');

/** How many entries a list has, and that not all of them are shown. */
const counted = (shown, total) =>
	shown < total ? `${number(total)} (the newest ${shown})` : number(total);

/** A list of which the sandbox gives the newest entries and says how many there are. */
const drawNewest = (id, { newest, total }, render) => draw(id, newest, render, total);

function button(label, title, click) {
	const node = element('button', { type: 'button', title, 'aria-label': title }, label);
	node.addEventListener('click', click);
	return node;
}

/** Shows what is about something: all lists have its ID or address then. */
function searchButton(text, what, title) {
	const search = button(text, title, () => {
		byId('search').value = what;
		byId('search').focus();
		return look();
	});
	search.className = 'word';
	return search;
}

/** Opens the execution of n8n that a request or a job came from. */
function executionLink(address) {
	if (!address) return '';
	const name = `execution ${address.split('/').at(-1)}`;
	return element('a', { href: address, target: '_blank', rel: 'noopener' }, name);
}

const copyButton = (text, what) =>
	button('Copy', `Copy ${what}`, async () => {
		await navigator.clipboard.writeText(text);
		say(`Copied: ${what}`);
	});

function renderKey({ key, workspace, scopes, entitled }) {
	const isReader = scopes.every((scope) => scope.endsWith(':read'));
	const may =
		scopes.length === 14 ? 'all scopes' : isReader ? 'the read scopes' : scopes.join(', ');
	const note = `${workspace}: ${may}${entitled ? '' : '; not entitled, answers 403'}`;
	const parts = [element('code', {}, key), ' ', copyButton(key, `the key ${key}`)];
	const line = element('span', { className: 'line' }, ...parts);
	return element('li', {}, line, element('small', {}, note));
}

function renderTotal({ name, value, note }) {
	const small = note ? element('small', {}, note) : '';
	return element('div', {}, element('dt', {}, name), element('dd', {}, value, small));
}

/** Sums over all workspaces since the start. */
function totalsOf({ jobs, running, files, spent, reserved, requests, wrong }) {
	return [
		{ id: 'jobs', name: 'Jobs', value: number(jobs), note: `${number(running)} not ended` },
		{ id: 'files', name: 'Files made', value: number(files) },
		{
			id: 'credits',
			name: 'Credits spent',
			value: number(spent),
			note: `${number(reserved)} reserved`,
		},
		{
			id: 'requests',
			name: 'Requests',
			value: number(requests),
			note: `${number(wrong)} went wrong`,
		},
	];
}

function renderWorkspace({ id, available, reserved, spent, running, concurrent_jobs: most }) {
	const give = (label, amount, what) =>
		button(label, `${what} ${id}`, async () => {
			if (await send('POST', 'credits', { workspace: id, amount })) say(`Done: ${what} ${id}`);
			await look();
		});
	return element(
		'article',
		{},
		`${id} `,
		element('b', {}, number(available)),
		element('small', {}, `${number(reserved)} reserved · ${number(spent)} spent`),
		element('small', {}, `${running} of ${most} jobs running`),
		give('+ 1,000', 1000, 'Give 1,000 credits to'),
		' ',
		give('Take all', -1e12, 'Take all credits from'),
	);
}

/** What a job waits for, in words; a status that is not here has ended. */
const BUSY = {
	queued: 'queued',
	pending: 'pending',
	running: 'running',
	waiting: 'waits for a free slot',
	plan_proposed: 'waits for its approval',
	awaiting_review: 'waits for a review',
};
const isBusy = ({ status }) => status in BUSY;

function renderJob(job) {
	const { id, kind, text, credits, workspace, status, problems, previews, due_in: left } = job;
	const { request, execution } = job;
	const tone = isBusy(job) ? 'busy' : status === 'failed' ? 'bad' : 'good';
	const state = element('span', { className: tone }, BUSY[status] ?? words(status));
	const shown = previews
		.slice(0, 4)
		.map((preview, index) => renderPreview(preview, `${kind} ${index + 1}: ${text}`));
	const note = [`${credits} credits`, left !== null && `${left} s left`, workspace, id];
	return element(
		'article',
		{ 'data-id': id },
		`${kind} `,
		state,
		element('p', {}, text),
		...problems.map((problem) => element('p', { className: 'bad' }, problem)),
		element('div', { className: 'previews' }, ...shown),
		element('small', {}, note.filter(Boolean).join(' · ')),
		element(
			'span',
			{ className: 'line' },
			request ? searchButton('requests', id, `Show the requests about ${id}`) : '',
			executionLink(execution),
		),
	);
}

function renderPreview({ url, media_type: type }, title) {
	const picture = { href: url, target: '_blank' };
	if (type.startsWith('image/'))
		return element('a', picture, element('img', { src: url, alt: title }));
	const tag = type.startsWith('video/') ? 'video' : 'audio';
	const preload = tag === 'video' ? 'auto' : 'none';
	return element(tag, { src: url, controls: true, preload, 'aria-label': title });
}

function renderRow({ at, state, status, fault, error, wrong }, what, about, from) {
	const answer = [state, status ?? 'no answer', names[fault]].filter(Boolean).join(' ');
	const cells = [time(at), what, about, from, answer].map((content) =>
		element('td', {}, ...[content].flat()),
	);
	cells[4].className = wrong ? 'bad' : 'good';
	if (error) cells[4].append(element('small', {}, error));
	return element('tr', {}, ...cells);
}

function renderRequest(entry) {
	const { method, path, resource, workspace, execution } = entry;
	const about = resource ? searchButton(resource, resource, `Show all about ${resource}`) : '';
	const from = [workspace ?? '', execution ? ' · ' : '', executionLink(execution)];
	return renderRow(entry, `${method} ${path}`, about, from);
}

const renderDelivery = (entry) =>
	renderRow(entry, `${entry.event}, ${entry.attempt}`, entry.url, 'delivery');

function renderFault(rule, index) {
	const { kind, hits, times, operations, events, contains } = rule;
	const where = [...(operations ?? []), ...(events ?? [])].map(words).join(', ');
	const how = [where && `at ${where}`, contains && `where the prompt contains “${contains}”`];
	const often = times === undefined ? `${hits} times so far` : `${hits} of ${times} times`;
	const off = button('Off', `Switch off: ${names[kind]}`, async () => {
		await setRules((rules) => rules.filter((_, at) => at !== index));
		if (document.activeElement === document.body) byId('fault-rules').focus();
	});
	return element('li', {}, [`${names[kind]}`, ...how.filter(Boolean), often].join(', '), ' ', off);
}

/** Whether a rule still strikes, or has struck as often as it may. */
const isLive = ({ hits, times }) => times === undefined || hits < times;

const isOn = (scene, rules) => rules.some((rule) => rule.name === scene.name && isLive(rule));

/** One click makes something go wrong, the next one ends it. */
function renderScene({ name, note, on }) {
	const scene = button(name, `${name}: ${note}`, async () => {
		const { rules } = forms.faults.scenes.find((each) => each.name === name);
		const added = on ? [] : rules.map((rule) => ({ ...rule, name }));
		await setRules((others) => [...others.filter((rule) => rule.name !== name), ...added]);
	});
	scene.setAttribute('aria-pressed', String(on));
	return scene;
}

/** How fast time passes: what is usual, and what holds now. */
function showSpeed(scale) {
	const speed = byId('speed');
	if (speed === document.activeElement || Number(speed.value) === scale) return;
	const scales = [...new Set([1, 10, 60, 600, scale])].sort((a, b) => a - b);
	const options = scales.map((value) => {
		const label = value === 1 ? 'as in life' : `${number(value)} times as fast`;
		return element('option', { value }, label);
	});
	speed.replaceChildren(...options);
	speed.value = scale;
}

/** Changes the rules; the counts of all start again. */
async function setRules(change) {
	const { rules } = await send('GET', 'faults');
	const bare = rules.map(({ seen: _seen, hits: _hits, ...rule }) => rule);
	const set = await send('PUT', 'faults', { rules: change(bare) });
	if (set) say('The faults are changed');
	await look();
}

/** Which requests or events a fault of a kind can strike. */
function showFaultFields() {
	const kind = byId('fault-kind').value;
	const isEvent = kind.startsWith('delivery_');
	const isStorage = kind.startsWith('storage_');
	const isRequest = !isEvent && !/job_|expired_link|cut_download/.test(kind);
	const { events, storage, operations } = forms.faults;
	const requests = isStorage ? storage : operations;
	const choices = isEvent ? events : requests;
	const all = element('option', { value: '' }, isEvent ? 'all events' : 'all requests');
	const each = choices.map((value) => element('option', { value }, words(value)));
	byId('fault-at').replaceChildren(all, ...each);
	byId('fault-at').parentElement.hidden = !isEvent && !isRequest;
}

/** A control for a setting, from the schema that also judges what it sends. */
function settingControl([name, { type, enum: choices }]) {
	const id = `setting-${name}`;
	const kind = { boolean: 'checkbox', integer: 'number', number: 'number' }[type] ?? 'text';
	const control = choices
		? element('select', { id }, ...choices.map((value) => element('option', { value }, value)))
		: element('input', { id, type: kind, step: 'any' });
	control.addEventListener('change', async () => {
		try {
			const text = choices ? JSON.stringify(control.value) : control.value;
			const typed = kind === 'checkbox' ? control.checked : JSON.parse(text);
			const settings = await send('PATCH', 'settings', { [name]: typed });
			control.setAttribute('aria-invalid', String(!settings));
			if (settings) say(`Set: ${words(name)}`);
		} catch {
			say(`${words(name)}: not JSON`, true);
		}
		await look();
	});
	return element(
		'label',
		{},
		`${words(name)} `,
		control,
		element('small', {}, forms.settings.notes[name]),
	);
}

/** Shows what holds now, except where somebody is writing, and where there is a mistake. */
function showSettings(settings) {
	for (const [name, value] of Object.entries(settings)) {
		const control = byId(`setting-${name}`);
		if (control === document.activeElement || control.ariaInvalid === 'true') continue;
		control.checked = value === true;
		control.value = typeof value === 'object' ? JSON.stringify(value) : value;
	}
}

async function look() {
	try {
		const search = encodeURIComponent(byId('search').value.slice(0, 200));
		const now = await (await fetch(`/sandbox/overview?search=${search}`)).json();
		showSpeed(now.clock_scale);
		byId('as-of').textContent = `As of ${time(now.now)}:`;
		if (byId('base-url').textContent !== now.base_url) {
			byId('base-url').textContent = now.base_url;
			byId('copy-base-url').replaceChildren(copyButton(now.base_url, 'the base URL'));
		}
		draw('keys', now.keys, renderKey);
		draw('workspaces', now.workspaces, renderWorkspace);
		draw('totals', totalsOf(now.totals), renderTotal);
		const { scenes } = forms.faults;
		draw(
			'scenes',
			scenes.map((scene) => ({ ...scene, id: scene.name, on: isOn(scene, now.faults) })),
			renderScene,
		);
		drawNewest('running', now.running, renderJob);
		drawNewest('made', now.made, renderJob);
		drawNewest('failed', now.failed, renderJob);
		const only = byId('only-errors').checked ? 'failed_' : '';
		drawNewest('requests', now[`${only}requests`], renderRequest);
		drawNewest('deliveries', now[`${only}deliveries`], renderDelivery);
		draw('faults', now.faults, renderFault);
		showSettings(now.settings);
		byId('state').textContent = 'connected';
		byId('state').className = 'good';
	} catch {
		byId('state').textContent = 'the sandbox does not answer';
		byId('state').className = 'bad';
	}
}

const forms = await (await fetch('/sandbox/forms')).json();
const { names } = forms.faults;
for (const [value, name] of Object.entries(names)) {
	byId('fault-kind').append(element('option', { value }, name));
}
showFaultFields();
byId('fault-kind').addEventListener('change', showFaultFields);
byId('fault-form').addEventListener('submit', async (event) => {
	event.preventDefault();
	const kind = byId('fault-kind').value;
	const [at, times] = [byId('fault-at').value, byId('fault-times').value];
	const list = kind.startsWith('delivery_') ? 'events' : 'operations';
	const rule = { kind, ...(at && { [list]: [at] }), ...(times && { times: Number(times) }) };
	await setRules((rules) => [...rules, rule]);
});
byId('settings').append(...Object.entries(forms.settings.schema.properties).map(settingControl));
byId('settings').addEventListener('submit', (event) => event.preventDefault());
byId('only-errors').addEventListener('change', look);
byId('search').addEventListener('input', look);
byId('speed').addEventListener('change', async () => {
	const clockScale = Number(byId('speed').value);
	if (await send('PATCH', 'settings', { clockScale })) say('Set: how fast time passes');
	await look();
});
byId('reset').addEventListener('click', async () => {
	if (!confirm('Forget all jobs, files, webhooks and settings, and start over?')) return;
	if (await send('POST', 'reset', {})) say('Everything is as at the start');
	await look();
});
await look();
setInterval(look, 1000);
