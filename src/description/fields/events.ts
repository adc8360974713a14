import type { EventKind } from '../../contract';
import { optionList } from '../operation';

/**
 * The kinds of events as lists in the editor show them, those of a trigger and of a webhook alike:
 * first what most people look for. `action` is what n8n's nodes panel calls the trigger.
 */
export const eventOptions = optionList<EventKind>({
	'generation.completed': {
		name: 'Image, Video or Audio Ready',
		action: 'On image, video or audio ready',
		description: 'An image, a video, music, a sound or speech has been made',
	},
	'generation.failed': {
		name: 'Image, Video or Audio Failed',
		action: 'On image, video or audio failed',
		description: 'An image, a video, music, a sound or speech could not be made',
	},
	'agent.review_required': {
		name: 'Agent Run Needs Review',
		action: 'On agent run needs review',
		description: 'An agent run waits for your review',
	},
	'agent.completed': {
		name: 'Agent Run Completed',
		action: 'On agent run completed',
		description: 'An agent run has completed',
	},
	'agent.failed': {
		name: 'Agent Run Failed',
		action: 'On agent run failed',
		description: 'An agent run has failed',
	},
	'persona.ready': {
		name: 'Persona Ready',
		action: 'On persona ready',
		description: 'A persona made from a description is ready',
	},
	'persona.failed': {
		name: 'Persona Failed',
		action: 'On persona failed',
		description: 'A persona could not be made from its description',
	},
	'voice.created': {
		name: 'Voice Created',
		action: 'On voice created',
		description: 'A custom voice has been created',
	},
});
