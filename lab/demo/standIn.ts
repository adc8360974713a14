import { ModelServer } from '../model/server';
import type { Rest, SavedCredential } from '../n8n/rest';
import type { Log } from '../process/progress';
import type { Cleanup } from './cleanup';

const NAME = 'Stand-in for a language model';

/** A credential for something that answers like a language model, so that an agent needs no account to be tried. */
export async function standInModel(
	rest: Rest,
	cleanup: Cleanup,
	log: Log,
): Promise<SavedCredential> {
	const model = await ModelServer.start();
	cleanup.add(async () => await model.close());
	const data = { apiKey: 'none', url: model.baseUrl };
	const saved = (await rest.credentials.list()).find(({ name }) => name === NAME);
	log('A stand-in answers as the language model: it asks for a picture of whatever you write.');
	return saved
		? await rest.credentials.update(saved, data)
		: await rest.credentials.create('openAiApi', NAME, data);
}
