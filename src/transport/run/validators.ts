import type { RequestOptions } from '../http/client';
import { isRecord } from '../base/types';

type Validate = NonNullable<RequestOptions['validate']>;

/** Where the specification shows no response body, an empty one is as good as an object. */
export const emptyOrObject: Validate = (body) => {
	const isEmpty = body === undefined || body === null || body === '';
	return isEmpty || isRecord(body) ? undefined : 'the response is not a JSON object';
};
