import { ok, type Result } from '../../src/base/result';
import type { ApiRequest } from '../../src/base/types';
import { create } from '../../src/creation/creation';
import { dryRun } from '../../src/creation/dryRun';
import type { Item, Prepared } from '../../src/creation/item';
import { Run } from '../../src/creation/run';
import { BinaryReference } from '../../src/files/localFile';
import { Workspace } from '../../src/transport/workspace';
import { answer } from '../model/answers';
import { hostWith, PLAN, runOf, sourceWith, type RunParts } from '../model/run';
import { VirtualClock } from '../model/virtualClock';

/*
 * What the first item of a run finds out for all of them, where that breaks off by what nobody has foreseen:
 * that ends this item, and the next one finds it out anew.
 */

interface Door {
	parts: Omit<RunParts, 'host' | 'workspace'>;
	does?: (item: Item) => Promise<{ ok: boolean }>;
	/** What breaks off; otherwise the request with this path does. */
	path?: string;
	binary?: (breakOff: () => void) => Parameters<typeof hostWith>[1];
}

const withBody = (body: object): Partial<Item> => ({
	request: { method: 'POST', path: '/generations', query: {}, body: { mode: 'image', ...body } },
});

const DOORS: Record<string, Door> = {
	'what was spent today': { parts: { settings: { maxCreditsPerDay: 100 } }, path: '/usage' },
	'what a dry run says': {
		parts: { settings: { dryRun: true } },
		does: dryRun,
		path: '/generations',
	},
	'the first model': {
		parts: { ...withBody({ prompt: 'a cat' }), lacksModel: true },
		path: '/models',
	},
	'a file that n8n stores': {
		parts: withBody({ model: 'm', prompt: 'a cat', image: new BinaryReference('file') }),
		binary: (breakOff) => ({
			binary: async () => {
				const open = async () => {
					breakOff();
					return Buffer.from('ID3');
				};
				return sourceWith({ id: 'stored', open });
			},
		}),
	},
};

test.each(Object.entries(DOORS))('%s', async (_name, { parts, does = create, path, binary }) => {
	const clock = new VirtualClock();
	const workspace = new Workspace(PLAN, clock, Math.random);
	const checked = new Map<number, Result<Prepared>>();
	const run = new Run(checked, true);
	let isBroken = true;
	const breakOff = () => {
		if (!isBroken) return;
		isBroken = false;
		throw new Error('Nobody has foreseen this');
	};
	const send = async (request: ApiRequest) => {
		if (request.method === 'GET' && request.path === path) breakOff();
		if (request.path === '/files')
			return answer(201, { upload_url: 'https://f.example/put', url: 'https://f.example/a' });
		if (request.method === 'POST')
			return answer(202, { id: 'g', object: 'generation', status: 'completed', outputs: [] });
		if (request.path === '/usage') return answer(200, { object: 'usage', data: [] });
		const data = request.path === '/models' ? [{ id: 'm', object: 'model' }] : [];
		return answer(200, { object: 'list', data, has_more: false });
	};
	const put = async () => answer(200);
	const host = hostWith(send, { put, ...binary?.(breakOff) });
	const items = [0, 1].map((itemIndex) => runOf({ host, workspace, run, itemIndex, ...parts }));
	for (const item of items) checked.set(item.itemIndex, ok(item));
	const ends: boolean[] = [];
	for (const item of items) {
		const end = does(item).then(
			(result) => result.ok,
			() => false,
		);
		ends.push(await clock.run(end));
	}
	expect(ends).toEqual([false, true]);
});
