import type { NodeHint } from 'n8n-workflow';
import type { Field } from '../operation';

/** Paths of the fields that belong to some modes only, with those modes. */
const modesByPath = (collections: Field[]): Array<[string, readonly string[]]> =>
	collections.flatMap(({ ui, fields = [] }) =>
		fields.flatMap(({ ui: { name }, onlyIn }): Array<[string, readonly string[]]> =>
			onlyIn ? [[`${ui.name}.${name}`, onlyIn]] : [],
		),
	);

/**
 * The yellow bar of a node that holds a value which its mode does not show: from a workflow that
 * was saved or written elsewhere. The editor itself removes such values when somebody switches the
 * mode. An expression must not contain two closing braces in a row.
 */
export const otherModesHint = (collections: Field[]): NodeHint => ({
	type: 'warning',
	location: 'ndv',
	whenToDisplay: 'always',
	message:
		'A field of another mode is set. It is not shown here, but is sent all the same. To remove it, choose the other mode first.',
	displayCondition: `={{ ${JSON.stringify(modesByPath(collections))}.some(([path, modes]) => { const value = path.split(".").reduce((values, name) => values?.[name], $parameter); const given = value?.__rl ? value.value : value; return (given ?? "") !== "" && !modes.includes($parameter["mode"]); }) }}`,
});
