import { byId, element, say, send } from './dom.js';
import { controlFor, field, fill, valueOf } from './fields.js';

/** Every control with where its value stands in the settings. */
const controls = [];

/** Makes the form from the schema that also judges what it sends. */
export function prepareSettings({ schema, groups, notes }, changed) {
	const add = (of, id, path) => {
		const control = controlFor(of, id);
		controls.push({ control, path });
		control.addEventListener('change', () => change(control, path, changed));
		return control;
	};
	const row = (name) => {
		const of = schema.properties[name];
		const id = `setting-${name}`;
		if (!of.properties) return field(add(of, id, [name]), name, notes[name]);
		const parts = Object.entries(of.properties).map(([part, each]) =>
			field(add(each, `${id}-${part}`, [name, part]), part),
		);
		const legend = element('legend', {}, name, ' ', element('small', {}, notes[name]));
		return element('fieldset', {}, legend, element('div', { className: 'fields' }, ...parts));
	};
	const details = Object.entries(groups).map(([title, names], index) =>
		element(
			'details',
			{ open: index === 0 },
			element('summary', {}, title),
			element('div', { className: 'fields' }, ...names.map(row)),
		),
	);
	byId('settings-form').append(...details);
	byId('settings-form').addEventListener('submit', (event) => event.preventDefault());
}

async function change(control, [name, part], changed) {
	try {
		const value = valueOf(control);
		const settings = await send('PATCH', 'settings', {
			[name]: part ? { [part]: value } : (value ?? ''),
		});
		control.setAttribute('aria-invalid', String(!settings));
		if (settings) say(`Set: ${part ? `${name}.${part}` : name} = ${JSON.stringify(value ?? '')}`);
	} catch {
		control.setAttribute('aria-invalid', 'true');
		say(`${name} takes JSON`, true);
	}
	await changed();
}

/** Shows what holds now, except in the field that somebody is writing in, and in one with a mistake. */
export function showSettings(settings) {
	for (const { control, path } of controls) {
		if (control === document.activeElement || control.getAttribute('aria-invalid') === 'true')
			continue;
		fill(
			control,
			path.reduce((value, key) => value[key], settings),
		);
	}
}
