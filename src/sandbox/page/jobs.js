import { byId, draw, element } from './dom.js';

/** What a job waits for, in words; a status that is not here has ended. */
const BUSY = {
	queued: 'queued',
	pending: 'pending',
	running: 'running',
	waiting: 'waits for a free slot',
	plan_proposed: 'waits for its approval',
	awaiting_review: 'waits for a review',
};

/** What waits for a person has no time at which it is done. */
const TIMED = ['queued', 'pending', 'running'];

/** Shows the jobs where a person looks for them: running, made, failed; what was half made is in both. */
export function drawJobs(jobs) {
	const running = jobs.filter(({ status }) => status in BUSY);
	const ended = jobs.filter(({ status }) => !(status in BUSY));
	const failed = ended.filter(({ status, problems }) => status === 'failed' || problems.length > 0);
	const made = ended.filter(
		({ status, problems, previews }) =>
			previews.length > 0 || (status !== 'failed' && problems.length === 0),
	);
	draw('running', running, renderRunning);
	draw('jobs', made, renderMade);
	draw('failed', failed, renderFailed);
	for (const [id, list] of Object.entries({ running, made, failed }))
		byId(`${id}-count`).textContent = list.length > 0 ? `(${list.length})` : '';
}

function card(job, tone, ...children) {
	const { id, kind, text, credits, workspace, status } = job;
	const node = element(
		'article',
		{ className: 'job' },
		element('b', {}, kind),
		' ',
		element('span', { className: tone }, BUSY[status] ?? status.replaceAll('_', ' ')),
		element('p', {}, text),
		...children,
		element('small', {}, `${credits} credits · ${workspace} · ${id}`),
	);
	node.dataset.id = id;
	return node;
}

function renderRunning(job) {
	const left = job.due_in === null || !TIMED.includes(job.status) ? '' : `${job.due_in} s left`;
	return card(job, 'busy', element('p', {}, left));
}

function renderFailed(job) {
	const reasons = job.problems.map((problem) => element('li', { className: 'bad' }, problem));
	const why = reasons.length > 0 ? element('ul', {}, ...reasons) : element('p', {}, 'No reason');
	return card(job, job.status === 'failed' ? 'bad' : 'busy', why);
}

function renderMade(job) {
	const { previews, problems } = job;
	return card(
		job,
		problems.length > 0 ? 'busy' : 'good',
		element(
			'div',
			{ className: previews.length > 1 ? 'previews many' : 'previews' },
			...previews.slice(0, 4).map((preview, index) => renderPreview(preview, index, job)),
		),
		previews.length > 4 ? element('p', {}, `and ${previews.length - 4} more`) : '',
	);
}

function renderPreview({ url, media_type: type }, index, { kind, text }) {
	const what = `${kind} ${index + 1}: ${text.slice(0, 60)}`;
	const link = (...children) => element('a', { href: url, target: '_blank' }, ...children);
	if (type.startsWith('image/')) {
		return element('figure', {}, link(element('img', { src: url, loading: 'lazy', alt: what })));
	}
	const isVideo = type.startsWith('video/');
	const player = element(isVideo ? 'video' : 'audio', {
		src: url,
		controls: true,
		preload: isVideo ? 'auto' : 'none',
		'aria-label': what,
	});
	player.playsInline = true;
	const open = link('Open');
	open.setAttribute('aria-label', `Open ${what}`);
	return element('figure', {}, player, open);
}
