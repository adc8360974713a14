import { byId, clockTime, element } from './dom.js';

/** The columns of both tables, by the id of their rows. */
const COLUMNS = {
	requests: ['Time', 'Request', 'Workspace', 'Answer', 'ms'],
	deliveries: ['Time', 'Event', 'To', 'Attempt', 'Outcome'],
};

/** Makes the tables of requests and deliveries, without a row. */
export function prepareTraffic() {
	for (const [id, columns] of Object.entries(COLUMNS)) {
		const headings = columns.map((text) => element('th', { scope: 'col' }, text));
		const head = element('thead', {}, element('tr', {}, ...headings));
		byId(`${id}-table`).append(element('table', {}, head, element('tbody', { id })));
	}
}

const cell = (text, properties = {}) => element('td', properties, text);

/** Whether a request came to nothing, or not to its client. */
export const wentWrong = ({ status, answered, fault }) =>
	status === null || status >= 400 || !answered || fault !== null;

export function renderRequest(entry) {
	const { status, fault, error, answered } = entry;
	const answer = [status ?? 'no answer', fault, status && !answered && 'cut off'];
	const outcome = cell(answer.filter(Boolean).join(' '), {
		className: wentWrong(entry) ? 'bad' : 'good',
	});
	if (error) outcome.append(element('small', {}, error));
	return element(
		'tr',
		{},
		cell(clockTime(entry.at)),
		cell(`${entry.method} ${entry.path.replace(/^\/v1/, '')}`),
		cell(entry.workspace),
		outcome,
		cell(entry.duration_ms.toFixed(1)),
	);
}

export function renderDelivery({ at, event, url, attempt, state, status, fault, error }) {
	const outcome = cell([state, status, fault].filter(Boolean).join(' '), {
		className: state === 'succeeded' ? 'good' : 'bad',
	});
	if (error) outcome.append(element('small', {}, error));
	return element(
		'tr',
		{},
		cell(clockTime(at)),
		cell(event),
		cell(url),
		cell(String(attempt)),
		outcome,
	);
}
