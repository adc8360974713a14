import { byId, clockTime, copyButton, draw, element, say, send } from './dom.js';
import { prepareFaults, renderFault } from './faults.js';
import { drawJobs } from './jobs.js';
import { prepareSettings, showSettings } from './settings.js';
import { prepareTraffic, renderDelivery, renderRequest, wentWrong } from './traffic.js';

let copied;

/** The addresses to copy; drawn again when the sandbox has moved. */
function connect({ base_url: baseUrl, keys }) {
	draw('keys', keys, renderKey, ({ key }) => key);
	if (copied === baseUrl) return;
	copied = baseUrl;
	byId('base-url').textContent = baseUrl;
	byId('copy-base-url').replaceChildren(copyButton(baseUrl, 'the base URL'));
	const first = `curl ${baseUrl}/generations -H 'Authorization: Bearer ${keys[0]?.key}' --json '{"mode":"image","model":"studio/image-1","prompt":"a fox in the snow"}'`;
	byId('first-request').textContent = first;
	byId('copy-first-request').replaceChildren(copyButton(first, 'the request'));
}

const CONTRACT_SCOPES = 14;

function renderKey({ key, workspace, scopes, entitled }) {
	const readOnly = scopes.every((scope) => scope.endsWith(':read'));
	const may =
		scopes.length === CONTRACT_SCOPES
			? 'all scopes'
			: readOnly
				? 'the read scopes'
				: scopes.join(', ');
	return element(
		'li',
		{ className: 'copied' },
		element('code', {}, key),
		copyButton(key, `the key ${key}`),
		element('small', {}, `${workspace}: ${may}${entitled ? '' : '; not entitled, answers 403'}`),
	);
}

function renderWorkspace(workspace) {
	const { id, entitled, available, reserved, spent, running, concurrent_jobs: most } = workspace;
	const give = (text, amount, what) => {
		const button = element('button', { type: 'button', 'aria-label': `${what} ${id}` }, text);
		button.dataset.name = what;
		button.addEventListener('click', async () => {
			if (await send('POST', 'credits', { workspace: id, amount })) say(`Done: ${what} ${id}`);
			await look();
		});
		return button;
	};
	return element(
		'div',
		{ className: 'card' },
		entitled ? id : `${id} (not entitled)`,
		element('b', {}, available.toLocaleString('en')),
		element('small', {}, `${reserved} reserved · ${spent} spent`),
		element('small', {}, `${running} of ${most} jobs running`),
		element(
			'div',
			{ className: 'buttons' },
			give('+ 1,000', 1000, 'Give 1,000 credits to'),
			give('Take all', -1e12, 'Take all credits from'),
		),
	);
}

function reachable(isThere, at) {
	const state = byId('state');
	const text = isThere ? 'connected' : 'the sandbox does not answer';
	// Said once, not every second.
	if (state.textContent !== text) state.textContent = text;
	state.className = isThere ? 'good' : 'bad';
	if (at) byId('as-of').textContent = `As of ${clockTime(at)}:`;
}

async function look() {
	try {
		const answer = await (await fetch('/sandbox/overview')).json();
		byId('scale').textContent = answer.clock_scale;
		byId('requests-total').textContent = `${answer.requests_total} in all`;
		connect(answer);
		draw('workspaces', answer.workspaces, renderWorkspace);
		drawJobs(answer.jobs);
		const onlyErrors = byId('only-errors').checked;
		draw('requests', answer.requests.filter(onlyErrors ? wentWrong : Boolean), renderRequest);
		byId('requests-empty').hidden = answer.requests_total > 0;
		draw('deliveries', answer.deliveries, renderDelivery);
		const rules = answer.faults.map((rule, index) => ({ ...rule, id: `${index}` }));
		draw('faults', rules, (rule) => renderFault(rule, look));
		byId('faults-count').textContent = rules.length > 0 ? `(${rules.length} on)` : '';
		byId('faults-off').hidden = rules.length === 0;
		showSettings(answer.settings);
		reachable(true, answer.now);
	} catch {
		reachable(false);
	}
}

byId('only-errors').addEventListener('change', look);
byId('faults-off').addEventListener('click', async () => {
	if (await send('PUT', 'faults', { rules: [] })) say('All faults are off');
	byId('fault-rules').focus();
	await look();
});
byId('reset').addEventListener('click', async () => {
	if (!confirm('Forget all jobs, files, webhooks and settings, and start over?')) return;
	if (await send('POST', 'reset', {})) say('Everything is as at the start');
	await look();
});
prepareTraffic();
const forms = await (await fetch('/sandbox/forms')).json();
prepareFaults(forms.faults, look);
prepareSettings(forms.settings, look);
await look();
setInterval(look, 1000);
