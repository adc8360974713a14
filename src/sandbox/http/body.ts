import type { Request, Response } from 'express';
import { json } from 'express';

import { ApiError, invalid } from '../errors';

/** Bodies above this are refused; media go through POST /files. */
const LARGEST_BODY = 10 * 1024 * 1024;

const parse = json({ limit: LARGEST_BODY, type: () => true, strict: false });

/** The request's JSON object. 400 for anything else. */
export async function readBody(request: Request, response: Response): Promise<unknown> {
	const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
	if (type !== undefined && type !== 'application/json') {
		throw invalid('Content-Type', `must be application/json, not ${type.slice(0, 100)}`);
	}
	await new Promise<void>((resolve, reject) => {
		parse(request, response, (error?: unknown) => (error ? reject(error) : resolve()));
	});
	const body: unknown = request.body;
	if (body === undefined || body === null || typeof body !== 'object' || Array.isArray(body)) {
		throw new ApiError(400, 'invalid_request', 'The body must be a JSON object.');
	}
	if (type === undefined) throw invalid('Content-Type', 'must be application/json');
	return body;
}
