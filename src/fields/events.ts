import type { INodePropertyOptions } from 'n8n-workflow';
import type { EventKind } from '../api';

/** The name and description of each kind of event. The ones that most people look for come first. */
const EVENT_TEXTS: Record<EventKind, [name: string, description: string]> = {
	'generation.completed': [
		'Image, Video or Audio Ready',
		'An image, a video, music, a sound or speech has been made',
	],
	'generation.failed': [
		'Image, Video or Audio Failed',
		'An image, a video, music, a sound or speech could not be made',
	],
	'agent.review_required': ['Agent Run Needs Review', 'An agent run waits for your review'],
	'agent.completed': ['Agent Run Completed', 'An agent run has completed'],
	'agent.failed': ['Agent Run Failed', 'An agent run has failed'],
	'persona.ready': ['Persona Ready', 'A persona made from a description is ready'],
	'persona.failed': ['Persona Failed', 'A persona could not be made from its description'],
	'voice.created': ['Voice Created', 'A custom voice has been created'],
};

/** The kinds of events as lists show them; `action` is what n8n's panel calls the trigger. */
export const eventOptions: INodePropertyOptions[] = Object.entries(EVENT_TEXTS).map(
	([value, [name, description]]) => ({
		value,
		name,
		description,
		action: `On ${name.toLowerCase()}`,
	}),
);
