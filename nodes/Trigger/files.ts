import type { IBinaryKeyData } from 'n8n-workflow';
import { collect } from '../../src/transport/outputs';
import type { Result } from '../../src/transport/result';
import type { Resource } from '../../src/transport/types';
import type { Service } from './service';

/** Downloads the outputs of a job into the binary fields `data`, `data_1` and so on. */
export async function filesOf(
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
