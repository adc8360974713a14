import type { INodeTypeDescription, NodeHint } from 'n8n-workflow';

/**
 * The name of the node that contains the expression. Expressions have no variable for it, but n8n's
 * error about an item that does not exist names the node. If it does not, the name is missing and
 * the hint is not shown.
 */
const OWN_NAME =
	'(() => { try { return $item(1e9).$json && undefined } catch (e) { return e.context?.nodeCause ?? /^"(.*)" node has /.exec(e.message)?.[1] } })()';

/**
 * The yellow bar above the output of a run in which a job was made only in part. Hints that a node
 * adds while it runs do not exist for declarative nodes (n8n 2.41 drops what their context has), so
 * the editor finds out from the output.
 */
export const partialResultHint: NodeHint = {
	type: 'warning',
	location: 'outputPane',
	whenToDisplay: 'afterExecution',
	message:
		'Some outputs were not made. The field <b>warning</b> of these items says how many there are and why the others are missing.',
	displayCondition: `={{ (() => { try { return $items(${OWN_NAME}, 0, $runIndex).some(({ json }) => json.warning !== undefined && json.status === "partially_completed") } catch (e) { return false } })() }}`,
};

/** Outputs of one run from which on a limit is worth a word. */
const MANY = 20;

/** The operations that offer Max Credits per Execution, each with its resource. */
const WITH_LIMIT = [
	'agentRun/approve',
	'agentRun/create',
	'generation/generateImage',
	'generation/generateVideo',
	'generation/generateAudio',
	'persona/createFromDescription',
	'speech/create',
	'customVoice/clone',
	'customVoice/design',
];

/** Shown below the output of a run that has made many outputs without a limit. */
export const noLimitHint: NodeHint = {
	type: 'info',
	location: 'outputPane',
	whenToDisplay: 'afterExecution',
	message:
		'Many outputs and no limit: <b>Max Credits per Execution</b> in the options caps what one execution may reserve, and <b>Dry Run</b> shows what would be sent.',
	displayCondition: `={{ (() => { try { const { operation, options = {}, parameters = {} } = { operation: $parameter["resource"] + "/" + $parameter["operation"], options: $parameter["options"], parameters: $parameter["parameters"] }; return ${JSON.stringify(WITH_LIMIT)}.includes(operation) && !options.maxCredits && !options.dryRun && $items(${OWN_NAME}, 0, $runIndex).length * (Number(parameters.count) || 1) >= ${MANY} } catch (e) { return false } })() }}`,
};

/**
 * Stands for the base URL of the credential, which the runner puts in its place. n8n would evaluate
 * an expression here twice for every item, and each evaluation costs more than all that the
 * transport does for a read. Not left out: n8n takes a node without an address for one that the
 * credential must allow by name. No such host can exist (RFC 2606), so nothing is ever sent there.
 */
const BASE_URL_OF_CREDENTIAL = 'https://base-url-of-the-credential.invalid';

/** What is the same in the description of every node. */
export const sharedDescription = {
	requestDefaults: { baseURL: BASE_URL_OF_CREDENTIAL, json: true },
	hints: [partialResultHint, noLimitHint],
} satisfies Partial<INodeTypeDescription>;
