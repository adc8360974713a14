import type { Settings } from './settings';

/**
 * Settings are the same for nearly all items of a run, of which thousands may wait with them: each
 * shares those of the one before.
 */
export class SameSettings {
	private last: { text: string; settings: Settings } | undefined;

	/** @returns the settings of the item before, if they are the same */
	of(settings: Settings): Settings {
		const text = JSON.stringify(settings);
		if (text !== this.last?.text) this.last = { text, settings };
		return this.last.settings;
	}
}
