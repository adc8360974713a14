import type { INodeProperties } from 'n8n-workflow';
import { oneValueInBody, type Field } from '../operation';
import type { Rule } from '../rules';

interface MediaField extends Pick<
	INodeProperties,
	'displayName' | 'name' | 'description' | 'required'
> {
	/** Name in the body; dots lead into objects of it. */
	as: string;
	rule: Rule;
	/** Whether it takes more than one. */
	isMany?: boolean;
	/** Such as `https://example.com/picture.png`. */
	example?: string;
	/** What else to know of it, such as how many it takes. */
	note?: string;
}

/**
 * Media by URL, or from a binary field of the item, which is then uploaded. What the field held
 * before it was a locator still works: text with one URL a line, an array by expression,
 * `binary:<field>`. The hook reads it, because n8n's routing keeps only the value of a locator and
 * not the mode.
 */
export function mediaField({ as, rule, isMany, example, note, ...ui }: MediaField): Field {
	const more = note === undefined ? '' : `. ${note}`;
	const url = example ?? 'https://example.com/picture.png';
	return {
		ui: {
			...ui,
			type: 'resourceLocator',
			default: { mode: 'url', value: '' },
			modes: [
				{
					displayName: 'By URL',
					name: 'url',
					type: 'string',
					placeholder: `e.g. ${url}`,
					hint: `${isMany ? 'One or more https URLs separated by spaces, or an array by expression' : 'An https URL'}${more}`,
				},
				{
					displayName: 'Binary Field',
					name: 'binary',
					type: 'string',
					placeholder: 'e.g. data',
					hint: `The name of the input binary field to upload${isMany ? ', or several with commas between them' : ''}${more}`,
				},
			],
		},
		mapping: oneValueInBody(as, rule),
	};
}
