import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { customOperations } from '../../src/n8n/entrance';
import { actionNode, icons, methods, OPERATION, relatedNodes } from '../../src/n8n/node';
import { operations } from './operations';

const resources = [{ value: 'agentRun', name: 'Agent Run', operations }];

export class MediaGenAgentRun implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(...resources),
		displayName: 'MediaGen Agent Run',
		name: 'mediaGenAgentRun',
		icon: icons('agentRun'),
		subtitle: OPERATION,
		description: 'Plan, approve, carry out and review whole productions',
		defaults: { name: 'MediaGen Agent Run' },
		hints: [
			{
				message:
					'Nothing is made before the plan is approved. To go on, add this node with the operation Approve, which spends credits.',
				displayCondition:
					'={{ $parameter["operation"] === "create" && String($parameter["autoApprove"]).toLowerCase() !== "true" }}',
				whenToDisplay: 'afterExecution',
				location: 'outputPane',
			},
		],
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Plans and carries out whole productions of many media from a brief, in steps that a person approves and reviews. Credits are spent once a plan is approved.',
			relatedNodes: relatedNodes({
				mediaGenJob: 'Wait for a run that was approved without Wait for Completion',
				mediaGenTrigger: 'Start a workflow when a run needs review or is done',
			}),
		},
	};

	customOperations = customOperations(resources);

	methods = methods;
}
