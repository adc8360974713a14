import { columnsOf, fieldsOf, RESERVED_NAMES } from '../../src/fields/reservedNames';
import { errorRow } from '../../src/n8n/output/failedRows';
import { rowsOfItem } from '../../src/n8n/output/rows';
import fc from '../support/fastCheck';

/** Names that meet in the most ways: what is moved, where to, and what stands there already. */
const MOVED = ['input_error', 'input_$error', 'input__files', 'failure', 'service__files'];
const NAMES = [...RESERVED_NAMES, ...MOVED, 'input_error_2', 'input_error_3', 'failure_2', 'id'];

/** Items whose values are all different, so that each can be found again. */
const items = fc
	.uniqueArray(fc.constantFrom(...NAMES))
	.map((names) => Object.fromEntries(names.map((name, index) => [name, `value ${index}`])));

const valuesOf = (json: object) => Object.values(json).sort();

test.each([
	['an item', columnsOf],
	['a resource', fieldsOf],
])('%s loses nothing to what is moved aside, whatever stands there already', (_of, aside) => {
	fc.assert(
		fc.property(items, (json) => {
			const before = { ...json };
			const columns = aside(json);
			expect(json).toEqual(before);
			expect(valuesOf(columns)).toEqual(valuesOf(json));
			for (const name of NAMES) {
				if (RESERVED_NAMES.includes(name)) expect(columns).not.toHaveProperty([name]);
				else if (name in json) expect(columns[name]).toBe(json[name]);
			}
		}),
	);
});

test('a row keeps all columns beside a result, whatever its field is called', () => {
	const fields = fc.constantFrom(...NAMES.filter((name) => !RESERVED_NAMES.includes(name)));
	const settings = { splitOutputs: false, outputBinaryField: 'data', isTool: false };
	fc.assert(
		fc.property(items, fields, (json, resultField) => {
			const wanted = Object.entries(json).filter(([name]) => name !== resultField);
			const [good] = rowsOfItem({ resources: [{ id: 'gen_1' }], files: [] }, settings, {
				itemIndex: 0,
				inputFields: { json, resultField },
			});
			const bad = errorRow({ message: 'It failed' }, {}, { itemIndex: 0, json, resultField });
			for (const row of [good?.json ?? {}, { ...bad.json, error: undefined }]) {
				const kept = Object.entries(row).filter(([name]) => name !== resultField);
				const values = kept.map(([, value]) => value).filter((value) => value !== undefined);
				expect(values.sort()).toEqual(wanted.map(([, value]) => value).sort());
			}
		}),
	);
});

test('the files of an item stay its files', () => {
	const files = { data: { id: 'x' } };
	expect(columnsOf({ a: 1, _files: files, error: 'e', input_error: 'own' })).toEqual({
		a: 1,
		_files: files,
		input_error: 'own',
		input_error_2: 'e',
	});
	expect(fieldsOf({ _files: files })).toEqual({ service__files: files });
});
