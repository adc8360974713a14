import type { MediaRequest } from '../../../../src/sandbox/media';

/** A request with everything that a test does not care about filled in. */
export function request(wish: Partial<MediaRequest> & Pick<MediaRequest, 'kind'>): MediaRequest {
	return { prompt: 'A paper boat sails into the sunset', seed: 7, index: 0, ...wish };
}
