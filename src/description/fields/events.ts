import type { EventKind } from '../../contract';
import { optionList } from './optionList';

/** The kinds of events as lists in the editor show them, those of a trigger and of a webhook alike. */
export const eventOptions = optionList<EventKind>({
	'agent.completed': { name: 'Agent Run Completed', description: 'An agent run has completed' },
	'agent.failed': { name: 'Agent Run Failed', description: 'An agent run has failed' },
	'agent.review_required': {
		name: 'Agent Run Needs Review',
		description: 'An agent run has reached the review gate',
	},
	'generation.completed': {
		name: 'Generation Completed',
		description: 'A generation has completed',
	},
	'generation.failed': { name: 'Generation Failed', description: 'A generation has failed' },
	'persona.failed': {
		name: 'Persona Failed',
		description: 'A described persona could not be created',
	},
	'persona.ready': { name: 'Persona Ready', description: 'A described persona is ready' },
	'voice.created': { name: 'Voice Created', description: 'A custom voice has been created' },
});
