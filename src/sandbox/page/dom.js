/** Small helpers of the page; it needs no build step and no library. */
export const byId = (id) => document.getElementById(id);

/** All text goes through here as text, never as markup. */
export function element(tag, properties = {}, ...children) {
	const node = document.createElement(tag);
	for (const [name, value] of Object.entries(properties)) {
		if (name in node) node[name] = value;
		else node.setAttribute(name, value);
	}
	node.append(...children.map((child) => child ?? ''));
	return node;
}

export const clockTime = (date) => new Date(date).toLocaleTimeString([], { hour12: false });

/** Says what a click has done, also to whoever hears the page. */
export function say(text, isBad = false) {
	byId('said').textContent = text;
	byId('said').className = isBad ? 'bad' : 'good';
}

/**
 * Brings a list in line with what there is. Only what has changed is drawn again, so that players play
 * on, and the focus stays where it was.
 */
const lists = new Map();
export function draw(id, items, render, keyOf = (item) => item.id) {
	const list = byId(id);
	const known = lists.get(id) ?? new Map();
	const now = new Map();
	for (const item of items) {
		const key = keyOf(item);
		const text = JSON.stringify(item);
		const old = known.get(key);
		if (old?.text === text) now.set(key, old);
		else now.set(key, { text, node: replace(old?.node, render(item)) });
	}
	for (const [key, { node }] of known) if (!now.has(key)) node.remove();
	let next = list.firstChild;
	for (const { node } of now.values()) {
		if (node === next) next = next.nextSibling;
		else list.insertBefore(node, next);
	}
	lists.set(id, now);
	const empty = byId(`${id}-empty`);
	if (empty) empty.hidden = items.length > 0;
}

/** Puts a node in another one's place; where one of its buttons had the focus, the same button has it again. */
function replace(old, node) {
	if (!old) return node;
	const focused = old.contains(document.activeElement) && document.activeElement.dataset.name;
	old.replaceWith(node);
	if (focused) node.querySelector(`[data-name="${focused}"]`)?.focus();
	return node;
}

/** A button that copies a text and says so. `what` names what is copied for those who hear the page. */
export function copyButton(text, what) {
	const label = element('span', {}, 'Copy');
	const button = element('button', { type: 'button', className: 'copy' }, label);
	button.setAttribute('aria-label', `Copy ${what}`);
	button.dataset.name = `copy ${what}`;
	button.addEventListener('click', async () => {
		try {
			await navigator.clipboard.writeText(text);
			label.textContent = 'Copied';
			say(`Copied: ${what}`);
		} catch {
			// A page that is not served from this machine's own name has no clipboard.
			say(`The browser does not let the page copy: ${text}`, true);
		}
		setTimeout(() => (label.textContent = 'Copy'), 2000);
	});
	return button;
}

/** One call of the admin path; gives its answer, or undefined after saying why not. */
export async function send(method, path, body) {
	const answer = await fetch(`/sandbox/${path}`, {
		method,
		headers: { 'content-type': 'application/json' },
		body: body === undefined ? undefined : JSON.stringify(body),
	});
	const given = await answer.json();
	if (answer.ok) return given;
	say(given.error?.message ?? `The sandbox answered ${answer.status}`, true);
	return undefined;
}
