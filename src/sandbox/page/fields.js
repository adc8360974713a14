import { element } from './dom.js';

/** A control for one field of a JSON Schema: a list, a box, a number, a text, or JSON for what is none of these. */
export function controlFor(schema, id) {
	const choices = schema.enum ?? schema.anyOf?.map((each) => each.const);
	if (choices && choices.every((choice) => choice !== undefined)) return choice(id, choices);
	if (schema.type === 'boolean') return element('input', { id, type: 'checkbox' });
	if (schema.type === 'number' || schema.type === 'integer') {
		const step = schema.type === 'integer' ? '1' : 'any';
		const { minimum, maximum } = schema;
		const limits = { ...(minimum !== undefined && { min: minimum }) };
		if (maximum !== undefined && maximum < 1e12) limits.max = maximum;
		return element('input', { id, type: 'number', step, ...limits });
	}
	const input = element('input', { id, type: 'text' });
	if (schema.type !== 'string') input.dataset.json = 'yes';
	return input;
}

/** A list to choose from; `''` stands for no choice. */
export function choice(id, values, labels = {}) {
	const options = values.map((value) =>
		element('option', { value: JSON.stringify(value) }, labels[value] ?? String(value)),
	);
	return element('select', { id }, ...options);
}

/** What stands in a control; undefined where nothing does. Throws for JSON that is none. */
export function valueOf(control) {
	if (control.type === 'checkbox') return control.checked;
	if (control.value === '') return undefined;
	if (control.tagName === 'SELECT' || control.dataset.json) return JSON.parse(control.value);
	return control.type === 'number' ? Number(control.value) : control.value;
}

/** Puts a value into a control. */
export function fill(control, value) {
	if (control.type === 'checkbox') control.checked = value;
	else if (control.tagName === 'SELECT' || control.dataset.json)
		control.value = JSON.stringify(value);
	else control.value = value;
}

/** A control with its name, and a sentence on it. */
export function field(control, label, note) {
	const name = element('label', { htmlFor: control.id }, label);
	if (!note) return element('div', { className: 'field' }, name, control);
	const text = element('small', { id: `${control.id}-note` }, note);
	control.setAttribute('aria-describedby', text.id);
	return element('div', { className: 'field' }, name, control, text);
}
