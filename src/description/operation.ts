import type { INodeProperties } from 'n8n-workflow';
import type { OperationSpec } from '../transport/item/item';
import type { Rule } from './rules';

/** How the value of a field reaches the request. */
export interface RequestMapping {
	in: 'body' | 'query' | 'path';
	/** Name in the request; dots lead into objects of the body. */
	as: string;
	rule: Rule;
	/**
	 * Whether a form of several fields becomes one value, so that the hook reads the parameter as a whole instead of n8n's
	 * routing gathering it. While the parameter is hidden, the value is left out.
	 */
	asOneValue?: boolean;
}

/** A field of the editor and, where its value is sent, how. Carries no visibility: `properties.ts` adds it. */
export interface Field {
	ui: INodeProperties;
	mapping?: RequestMapping;
	/** The fields of a collection. */
	fields?: Field[];
}

/** An operation is data; everything that can go wrong is handled once, underneath it. */
export interface Operation {
	/** Stable: it stands in users' workflows. */
	value: string;
	name: string;
	action: string;
	description: string;
	spec: OperationSpec;
	/** Values of the body that are the same for every request. */
	constants?: Record<string, string>;
	fields: Field[];
}

export const inBody = (as: string, rule: Rule): RequestMapping => ({ in: 'body', as, rule });
export const inQuery = (as: string, rule: Rule): RequestMapping => ({ in: 'query', as, rule });
export const inPath = (as: string, rule: Rule): RequestMapping => ({ in: 'path', as, rule });
export const oneValueInBody = (as: string, rule: Rule): RequestMapping => ({
	in: 'body',
	as,
	rule,
	asOneValue: true,
});
