import { ENDPOINTS } from '../../contract';
import { isRecord, type ApiRequest, type Resource } from '../base/types';
import { shortHash } from './idempotency';

type Priced = Pick<ApiRequest, 'path' | 'body'>;

const lengthOf = (value: unknown): number => (typeof value === 'string' ? [...value].length : 0);

const countOf = (value: unknown): unknown => (Array.isArray(value) ? value.length : value);

/** How much there is to speak, where that may decide the price. */
export function spokenLength({ body }: Priced): number {
	const { mode, prompt, blocks } = isRecord(body) ? body : {};
	if (Array.isArray(blocks)) {
		const texts: unknown[] = blocks;
		return texts.reduce<number>((sum, one) => sum + lengthOf(isRecord(one) ? one.text : one), 0);
	}
	return mode === 'audio' ? lengthOf(prompt) : 0;
}

/** What is asked for in words, and how it is delivered: makes no difference to the price. */
const FREE_FIELDS = [
	'prompt',
	'blocks',
	'delivery',
	'brief',
	'name',
	'description',
	'preview_text',
	'audio_url',
];

/** Lists of files, of which only the number may make a difference. */
const FILE_LISTS = ['reference_images', 'source_images'];

/**
 * Requests of the same kind have the same model and parameters and as many inputs. What is asked for
 * in words and which files are used makes no difference.
 */
export function priceKind({ path, body }: Priced): string {
	const all = isRecord(body) ? body : {};
	const { input, persona_id: persona, parameters, ...others } = all;
	const { lyrics, ...chosen } = isRecord(parameters) ? parameters : {};
	void lyrics;
	const rest = Object.entries(others)
		.filter(([name]) => !FREE_FIELDS.includes(name))
		.map(([name, value]) => [name, FILE_LISTS.includes(name) ? countOf(value) : value]);
	const inputs = isRecord(input)
		? Object.entries(input).map(([slot, files]) => [slot, countOf(files)])
		: input;
	return shortHash(JSON.stringify([path, rest, chosen, inputs, persona !== undefined]));
}

/** Requests with the same key have the same price: of one kind, with as much to speak. */
export const priceKey = (request: Priced): string =>
	`${priceKind(request)} ${spokenLength(request)}`;

const approvesRun = (path: string) => {
	const [before = '', after = ''] = ENDPOINTS.approveAgentRun.path.split('{id}');
	return path.startsWith(before) && path.endsWith(after);
};

/** Planning a run costs this. Specification: Credit rules. */
const PLANNING_CREDITS = 1;

/**
 * The most that a request may reserve, where the specification says so: agent planning costs 1
 * credit, and approved media steps reserve their budget. Specification: Credit rules.
 */
export function statedPrice({ path, body }: Priced): number | undefined {
	if (!isRecord(body)) return undefined;
	const budget = typeof body.max_credits === 'number' ? body.max_credits : undefined;
	if (approvesRun(path)) return budget;
	if (path !== ENDPOINTS.createAgentRun.path) return undefined;
	if (body.auto_approve !== true) return PLANNING_CREDITS;
	return budget === undefined ? undefined : PLANNING_CREDITS + budget;
}

const asCredits = (value: unknown): number | undefined =>
	typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

/**
 * What a job has reserved or spent: of an agent run both, of others `estimated_credits`; where that
 * is not shown (Voice), the first number that is named after credits. `undefined` where the
 * response does not say.
 */
export function creditsOf(job: Resource): number | undefined {
	const { object, reserved_credits: reserved, spent_credits: spent } = job;
	if (object === 'agent_run') {
		const both = [asCredits(reserved), asCredits(spent)].filter((one) => one !== undefined);
		return both.length > 0 ? both.reduce((sum, one) => sum + one, 0) : undefined;
	}
	const named = Object.entries(job).filter(
		([name]) => /credit/i.test(name) && !/max|balance|left|remain/i.test(name),
	);
	const values = named.map(([, value]) => asCredits(value));
	return asCredits(job.estimated_credits) ?? values.find((value) => value !== undefined);
}
