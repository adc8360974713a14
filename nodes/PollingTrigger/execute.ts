import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { operationError } from '../../src/n8n/shownErrors';
import { parameterOf, switchOf } from '../../src/trigger/filters';
import { downloadFiles, forEachItem, openService, type Service } from '../../src/trigger/service';
import { ok, type Result } from '../../src/base/result';
import { isResource } from '../../src/base/types';
import { jobState } from '../../src/transport/jobState';
import { withOutputs } from '../../src/creation/outputs';
import { isFinished } from './findNewlyFinished';
import { filterOf, itemOf, generationReader } from './poll';

/** Items of a manual run: enough to build a workflow with. */
const SAMPLE = 3;

/** Some of the newest that match. Changes no state. */
async function sample(context: IExecuteFunctions, service: Service): Promise<INodeExecutionData[]> {
	const { entries } = await generationReader(context, service).page(undefined);
	const found = entries.filter(isResource).filter(isFinished).filter(filterOf(context));
	if (found.length > 0) return found.slice(0, SAMPLE).map(itemOf);
	throw operationError(context.getNode(), 'Nothing that has finished matches', {
		description:
			'Create an image, a video or audio first, or change the statuses, modes and models of this node. A published workflow starts by itself as soon as one finishes.',
	});
}

async function withFiles(
	service: Service,
	{ json }: INodeExecutionData,
): Promise<Result<INodeExecutionData>> {
	const listed = { object: 'generation', ...json, id: String(json.id) };
	// A list may show less of a job than the job itself does.
	const job = jobState(listed) === 'good' ? await withOutputs(service, listed) : listed;
	const files = await downloadFiles(service, job);
	if (!files.ok) return files;
	const shown = job === listed ? json : itemOf(job).json;
	return ok({ json: shown, binary: files.value });
}

/** What a poll has found, or a sample; here, in an execution, there is time to download. */
export async function execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const isManual = this.getMode() === 'manual';
	const download = parameterOf(this, 'downloadOutputs', true);
	const wantsFiles = switchOf(this, 'Download Outputs', download) ?? true;
	if (!isManual && !wantsFiles) return [this.getInputData()];
	const service = await openService(this);
	const items = isManual ? await sample(this, service) : this.getInputData();
	if (!wantsFiles) return [items];
	return [await forEachItem(this, items, async (item) => await withFiles(service, item))];
}
