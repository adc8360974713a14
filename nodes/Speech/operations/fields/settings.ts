import type { INodeProperties } from 'n8n-workflow';
import { LIMITS, type SpeechSettings } from '../../../../src/contract';
import { inBody, type Field } from '../../../../src/description/operation';
import { flag, number, type Rule } from '../../../../src/description/rules';

type Named = INodeProperties & { name: keyof SpeechSettings };

const setting = (ui: Named, rule: Rule = flag()): Field => ({
	ui,
	mapping: inBody(`settings.${ui.name}`, rule),
});

const { speechSpeed: speed, speechVolume: volume } = LIMITS;

/** Specification: CreateSpeechGeneration, `settings`. */
export const settings: Field = {
	ui: {
		displayName: 'Settings',
		name: 'settings',
		type: 'collection',
		placeholder: 'Add setting',
		default: {},
		description: 'How the text is spoken',
	},
	fields: [
		setting({
			displayName: 'Loudness Normalization',
			name: 'loudness_normalization',
			type: 'boolean',
			default: true,
			description: 'Whether to bring all blocks to the same loudness',
		}),
		setting(
			{
				displayName: 'Speed',
				name: 'speed',
				type: 'number',
				typeOptions: { minValue: speed.min, maxValue: speed.max, numberPrecision: 2 },
				default: 1,
				description: 'How fast to speak, from 0.5 to 2; 1 is normal',
			},
			number(speed),
		),
		setting({
			displayName: 'Tag Compatible',
			name: 'tag_compatible',
			type: 'boolean',
			default: true,
			description: 'Whether tags in the text are instructions, if the model supports them',
		}),
		setting({
			displayName: 'Text Normalization',
			name: 'text_normalization',
			type: 'boolean',
			default: false,
			description: 'Whether to write out numbers, dates and abbreviations before they are spoken',
		}),
		setting(
			{
				displayName: 'Volume',
				name: 'volume',
				type: 'number',
				typeOptions: { minValue: volume.min, maxValue: volume.max, numberPrecision: 2 },
				default: 1,
				description: 'How loud to speak, from 0.1 to 10; 1 is normal',
			},
			number(volume),
		),
	],
};
