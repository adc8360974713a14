import type { INodeTypeDescription, NodeHint } from 'n8n-workflow';

/**
 * The name of the node that an expression stands in. Expressions have no word for it, but n8n's complaint about an item that does not exist
 * names the node. Where it does not, the name is missing, and the hint is not shown.
 */
const OWN_NAME =
	'(() => { try { return $item(1e9).$json && undefined } catch (e) { return e.context?.nodeCause ?? /^"(.*)" node has /.exec(e.message)?.[1] } })()';

/**
 * The yellow bar above the output of a run in which a job was made only in part. Hints that a node adds while it runs do not exist for
 * declarative nodes (n8n 2.41 drops what their context has), so the editor finds out from the output.
 */
export const partialResultHint: NodeHint = {
	type: 'warning',
	location: 'outputPane',
	whenToDisplay: 'afterExecution',
	message:
		'Some outputs were not made. The field <b>warning</b> of the items concerned says how many there are and why the others are missing.',
	displayCondition: `={{ (() => { try { return $items(${OWN_NAME}, 0, $runIndex).some(({ json }) => json.warning !== undefined && json.status === "partially_completed") } catch (e) { return false } })() }}`,
};

/** What is the same in the description of every node. */
export const sharedDescription = {
	requestDefaults: { baseURL: '={{ $credentials.baseUrl }}', json: true },
	hints: [partialResultHint],
} satisfies Partial<INodeTypeDescription>;
