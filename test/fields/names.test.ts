import { customVoiceName, nameFromId, presetVoiceName } from '../../src/fields/search/choices';

test.each([
	[
		{
			label: 'Ava (English (United States))',
			name: 'en-US-AvaNeural',
			gender: 'female',
			language_code: 'en-US',
			language_name: 'English (United States)',
		},
		'Ava – English (US), female',
	],
	[{ label: 'Ida', language_code: 'de-DE' }, 'Ida – de-DE'],
	[{ id: 'v1', label: 7, gender: {}, language_code: [] }, 'v1'],
])('the preset voice %j is called %s', (voice, name) => {
	expect(presetVoiceName(voice)).toBe(name);
});

test('a custom voice shows its kind and how it was created', () => {
	expect(customVoiceName({ name: 'Narrator', kind: 'clone' })).toBe(
		'Narrator – custom voice, cloned',
	);
	expect(customVoiceName({ name: 'Narrator', kind: 'x' })).toBe('Narrator – custom voice');
});

test('an id serves as the name if there is no other', () => {
	expect(nameFromId('vendor/partner/speech-2.8-turbo')).toBe('Speech 2.8 Turbo');
	expect(nameFromId('lite')).toBe('Lite');
});
