import type { INode } from 'n8n-workflow';
import type { Access } from '../n8n/credential';
import { LabError } from '../process/failure';

/** An entry of GET /models, as far as the specification shows it. */
interface Model {
	id: string;
	capabilities?: { voices?: unknown };
}

/**
 * Reads the service's catalogue and chooses a model for each creation of the examples: the
 * example's own if the service has it, otherwise one of the same mode. Specification: GET /models.
 *
 * @throws LabError when the service refuses, or has no model of a mode
 */
export async function modelChooser(access: Access): Promise<(node: INode) => string> {
	const catalogue: Record<string, Model[]> = {};
	for (const mode of ['image', 'video', 'audio']) catalogue[mode] = await readModels(access, mode);
	return ({ parameters, name }) => {
		const mode = String(parameters.operation).replace('generate', '').toLowerCase();
		const wanted = (parameters.model as { value: string }).value;
		const models = catalogue[mode] ?? [];
		const suitable = models.filter(
			(model) => mode !== 'audio' || speaks(model) === isSpeech(wanted),
		);
		const chosen =
			models.find(({ id }) => id === wanted) ??
			suitable.find(({ id }) => wanted.includes('music') && id.includes('music')) ??
			suitable[0];
		if (!chosen) throw new LabError(`The service has no model for "${name}" (mode ${mode})`);
		return chosen.id;
	};
}

/** Only speech models carry a list of voices. */
const speaks = ({ capabilities }: Model) => capabilities?.voices !== undefined;

const isSpeech = (id: string) => id.includes('speech');

async function readModels({ baseUrl, apiKey }: Access, mode: string): Promise<Model[]> {
	const answer = await fetch(`${baseUrl}/models?mode=${mode}`, {
		headers: { authorization: `Bearer ${apiKey}` },
		redirect: 'error',
		signal: AbortSignal.timeout(30_000),
	}).catch(() => {
		throw new LabError(`The service cannot be reached: ${new URL(baseUrl).host}`);
	});
	if (!answer.ok) throw new LabError(refusal(answer.status));
	return ((await answer.json()) as { data: Model[] }).data;
}

function refusal(status: number): string {
	if (status === 401) return 'The service does not know the key: check MEDIAGEN_API_KEY';
	if (status === 403) return 'The key may not read the models: it needs models:read and API access';
	if (status === 404) return 'There is no API at MEDIAGEN_BASE_URL: it must end in /v1';
	return `The service answered ${status} to GET /models`;
}
