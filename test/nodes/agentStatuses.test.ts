import type { INodeProperties } from 'n8n-workflow';
import { MediaGenAgentRun } from '../../nodes/AgentRun/MediaGenAgentRun.node';
import { MediaGenJob } from '../../nodes/Job/MediaGenJob.node';
import { AGENT_STATUSES } from '../../src/service/jobState';

const NODES = { agentRun: new MediaGenAgentRun(), job: new MediaGenJob() };

/** Defaults of the options that name statuses, of an operation. */
function statusesOf(node: keyof typeof NODES, operation: string): unknown[] {
	const { properties } = NODES[node].description;
	const isOfOperation = ({ displayOptions }: INodeProperties) =>
		displayOptions?.show?.operation?.includes(operation) ?? false;
	const options = properties.filter((one) => one.name === 'options' && isOfOperation(one));
	const fields = options.flatMap((one) => (one.options ?? []) as INodeProperties[]);
	return ['waitStatuses', 'failureStatuses'].map(
		(name) => fields.find((field) => field.name === name)?.default,
	);
}

test.each([
	['job', 'get', AGENT_STATUSES.any],
	['job', 'wait', AGENT_STATUSES.any],
	['agentRun', 'get', AGENT_STATUSES.any],
	['agentRun', 'create', AGENT_STATUSES.any],
	['agentRun', 'approve', AGENT_STATUSES.afterApproval],
	['agentRun', 'review', AGENT_STATUSES.afterReview],
] as const)('%s %s offers the statuses of the one table', (node, operation, { good, bad }) => {
	expect(statusesOf(node, operation)).toEqual([good.join(', '), bad.join(', ')]);
});
