import { byId, element, say, send } from './dom.js';
import { choice, controlFor, field, valueOf } from './fields.js';

const isDelivery = (kind) => kind.startsWith('delivery_');
const isJob = (kind) => kind.startsWith('job_');
const isDownload = (kind) => ['expired_link', 'cut_download'].includes(kind);
const isRequest = (kind) => !isDelivery(kind) && !isJob(kind) && !isDownload(kind);

/** The fields of a rule, what they mean, and which kinds have them. */
const FIELDS = {
	operations: ['Operation', 'all of them', isRequest],
	events: ['Event', 'all of them', isDelivery],
	contains: ['Prompt contains', 'empty: any', isJob],
	mode: ['Mode', 'e.g. image; empty: any', isJob],
	model: ['Model', 'e.g. studio/image-1; empty: any', isJob],
	workspace: ['Workspace', 'e.g. studio; empty: all', (kind) => !isDelivery(kind)],
	status: ['Status', 'empty: 503', (kind) => kind.startsWith('status_')],
	retryAfter: [
		'Retry-After',
		'as it is sent; empty: none',
		(kind) => kind.startsWith('status_') || kind === 'storm',
	],
	seconds: [
		'Seconds',
		'of the service; empty: 5',
		(kind) => ['slow', 'delivery_delay', 'delivery_reorder'].includes(kind),
	],
	bytes: ['Bytes before the cut', 'empty: half', (kind) => kind === 'cut_download'],
	copies: ['Further copies', 'empty: 1', (kind) => kind === 'delivery_duplicate'],
	skip: ['Let pass first', 'empty: none', () => true],
	times: ['At most', 'times; empty: no bound', () => true],
	probability: ['Probability', 'from 0 to 1; empty: always', () => true],
};

/** Makes the form that adds a rule to those that are on. */
export function prepareFaults({ schema, kinds, operations, events }, changed) {
	const kind = choice(
		'fault-kind',
		Object.keys(kinds),
		Object.fromEntries(Object.entries(kinds).map(([name, note]) => [name, `${name}: ${note}`])),
	);
	const lists = { operations, events };
	const rows = Object.entries(FIELDS).map(([name, [label, note, has]]) => {
		const id = `fault-${name}`;
		const control = lists[name]
			? element('select', { id }, element('option', { value: '' }, note), ...options(lists[name]))
			: controlFor(schema.properties[name], id);
		const row = field(control, label, lists[name] ? undefined : note);
		return { name, control, row, has };
	});
	const show = () => {
		for (const { row, has } of rows) row.hidden = !has(valueOf(kind));
	};
	kind.addEventListener('change', show);
	byId('fault-fields').append(field(kind, 'What happens'), ...rows.map(({ row }) => row));
	show();
	byId('fault-form').addEventListener('submit', async (event) => {
		event.preventDefault();
		const rule = { kind: valueOf(kind) };
		for (const { name, control, row } of rows) {
			const value = row.hidden ? undefined : valueOf(control);
			if (value !== undefined) rule[name] = lists[name] ? [value] : value;
		}
		const { rules } = await send('GET', 'faults');
		if (await send('PUT', 'faults', { rules: [...rules.map(ruleOf), rule] }))
			say(`Switched on: ${rule.kind}`);
		await changed();
	});
}

const options = (values) =>
	values.map((value) => element('option', { value: JSON.stringify(value) }, value));

/** A rule as it was sent, without its counts. */
function ruleOf(rule) {
	return Object.fromEntries(
		Object.entries(rule).filter(([name]) => !['seen', 'hits', 'id'].includes(name)),
	);
}

/** A rule that is on, with how often it struck and a button that switches it off. */
export function renderFault(rule, changed) {
	const { id, kind, hits, seen, times, probability, operations, events, contains, workspace } =
		rule;
	const words = [
		operations && `on ${operations.join(', ')}`,
		events && `on ${events.join(', ')}`,
		contains && `where the prompt contains “${contains}”`,
		workspace && `in ${workspace}`,
		times !== undefined && `at most ${times} times`,
		probability < 1 && `with probability ${probability}`,
	];
	const off = element('button', { type: 'button', 'aria-label': `Switch off ${kind}` }, 'Off');
	off.dataset.name = 'off';
	off.addEventListener('click', async () => {
		const { rules } = await send('GET', 'faults');
		const kept = rules.filter((_rule, index) => String(index) !== id).map(ruleOf);
		if (await send('PUT', 'faults', { rules: kept })) say(`Switched off: ${kind}`);
		await changed();
		if (document.activeElement === document.body) byId('fault-rules').focus();
	});
	return element(
		'li',
		{},
		element('b', {}, kind),
		` ${words.filter(Boolean).join(' ')}: struck ${hits} of ${seen} `,
		off,
	);
}
