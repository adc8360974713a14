/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type { IExecuteFunctions } from 'n8n-workflow';
import { Readable } from 'stream';
import { ENDPOINTS } from '../../src/api';
import { BinaryReference } from '../../src/files/localFile';
import { runItem } from '../../src/n8n/runOperation';
import type { Host } from '../../src/transport/host';
import type { Workspace } from '../../src/transport/workspace';
import { downloadFiles, type Service } from '../../src/trigger/service';
import { MEDIA } from '../files/support/media';
import { answer } from '../model/answers';
import { CREATE, hostWith, runOf, sourceWith, workspaceWith } from '../model/run';
import { VirtualClock } from '../model/virtualClock';

const job = {
	id: 'gen_1',
	object: 'generation',
	status: 'completed',
	outputs: [{ id: 'o', url: 'https://media.example/1', media_type: 'image/png' }],
};

type Door = (host: Host, workspace: Workspace) => Promise<unknown>;

const DOORS: Array<[string, Door]> = [
	[
		'the upload of an item',
		async (host, workspace) => {
			const body = { file: new BinaryReference('data') };
			const spec = {
				...CREATE,
				endpoint: ENDPOINTS.createFile,
				output: 'file',
				creates: false,
			} as const;
			const request = { method: 'POST', path: '/files', body } as const;
			return await runItem(runOf({ host, workspace, request, spec }));
		},
	],
	[
		'the download of an item',
		async (host, workspace) => {
			const spec = { ...CREATE, endpoint: ENDPOINTS.getGeneration, creates: false };
			const request = { method: 'GET', path: '/generations/gen_1' } as const;
			const settings = { downloadOutputs: true };
			return await runItem(runOf({ host, workspace, request, spec, settings }));
		},
	],
	[
		'the download of a trigger',
		async (host, workspace) => {
			const context = { getContext: () => ({}) } as unknown as IExecuteFunctions;
			return await downloadFiles(context, { host, workspace } as Service, job);
		},
	],
];

test.each(DOORS)('%s keeps the workspace however long it takes', async (_, open) => {
	const clock = new VirtualClock();
	const workspace = workspaceWith(clock);
	const whileMoving: boolean[] = [];
	const twoHours = async () => {
		await clock.sleep(7_000_000);
		whileMoving.push(workspace.isUnused);
	};
	const place = { upload_url: 'https://put.example/x', url: 'https://files.example/x' };
	const host = hostWith(
		async ({ path }) => (path === '/files' ? answer(201, place) : answer(200, job)),
		{
			binary: async () => sourceWith(),
			async put() {
				await twoHours();
				return answer(200, '');
			},
			async get() {
				await twoHours();
				return { status: 200, headers: {}, close: () => {}, body: Readable.from([MEDIA.png]) };
			},
			store: async (_body, fileName, mimeType) => ({ data: 'x', fileName, mimeType }),
		},
	);
	expect(await clock.run(open(host, workspace))).toMatchObject({ ok: true });
	expect(whileMoving).toEqual([false]);
	await clock.pass(86_400_000);
	expect(workspace.isUnused).toBe(true);
});
