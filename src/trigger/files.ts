import type { IBinaryKeyData } from 'n8n-workflow';
import { collect } from '../transport/run/outputs';
import type { Result } from '../transport/base/result';
import type { Resource } from '../transport/base/types';
import type { Service } from './connection';

/** Downloads the outputs of a job into the binary fields `data`, `data_1` and so on. */
export async function downloadFiles(
	{ host, workspace }: Service,
	job: Resource,
): Promise<Result<IBinaryKeyData>> {
	const collected = await collect({ host, workspace, settings: { downloadOutputs: true } }, job);
	if (!collected.ok) return collected;
	const fields = collected.value.files.map(({ data }, index) => [
		index === 0 ? 'data' : `data_${index}`,
		data,
	]);
	return { ok: true, value: Object.fromEntries(fields) as IBinaryKeyData };
}
