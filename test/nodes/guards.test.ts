import { called } from '../support/nodeCall';
import { allCases, givenFor, hasOption, type Case } from '../support/operations';

/*
 * A guard that is set holds, or nothing is sent: over all operations of all nodes, with a guard that any of
 * them has.
 */

/** What an operation sends but reads, with these options. */
async function sentWith(one: Case, options: object, beside = {}) {
	const given = { ...givenFor(one), options, ...beside };
	const { asked, error } = await called(one.node, given, ({ url }) => ({
		statusCode: url.includes('/generations') ? 202 : 200,
		body: { id: 'gen_1', object: 'list', data: [], status: 'completed' },
	}));
	return { sent: asked.filter(({ method }) => method !== 'GET'), error };
}

test('a Dry Run beside whatever operation: nothing is sent', async () => {
	const changing = (await allCases()).filter(
		({ operation }) => operation.spec.endpoint.method !== 'GET',
	);
	expect(changing.length).toBeGreaterThan(15);
	for (const one of changing) {
		const { sent, error } = await sentWith(one, { dryRun: true });
		expect([one.name, sent]).toEqual([one.name, []]);
		if (!hasOption(one, 'dryRun')) expect(error?.message).toMatch(/cannot keep it|is no field of/);
	}
});

test('a limit of 0 credits beside whatever operation: nothing that costs is sent', async () => {
	const charging = (await allCases()).filter(({ operation }) => operation.spec.charges);
	expect(charging.length).toBeGreaterThan(6);
	for (const one of charging)
		for (const name of ['maxCredits', 'maxCreditsPerDay']) {
			const { sent } = await sentWith(one, { [name]: 0 });
			expect([one.name, name, sent]).toEqual([one.name, name, []]);
		}
});

test('what is switched off, and what holds by itself, is no obstacle', async () => {
	const persona = (await allCases()).filter(({ name }) => name === 'MediaGen Persona: Delete');
	for (const options of [{ dryRun: false }, { maxCredits: 0 }, {}]) {
		const { sent, error } = await sentWith(persona[0]!, options);
		expect([error, sent.length]).toEqual([undefined, 1]);
	}
});

test('the error names the field and how to get rid of it', async () => {
	const [persona] = (await allCases()).filter(({ name }) => name === 'MediaGen Persona: Delete');
	const { error } = await sentWith(persona!, { dryRun: true });
	expect(error?.message).toBe('Dry Run is set, and Delete cannot keep it');
	expect(error?.description).toMatch(/Remove "options.dryRun".*Nothing was/);
});

describe('beside Options, as a model may write it', () => {
	const hasOwn = ({ operation }: Case, name: string) =>
		operation.fields.some((field) => field.name === name);

	test.each(['dryRun', 'dry_run'])('%s with whatever operation: nothing is sent', async (name) => {
		for (const one of await allCases()) {
			if (one.operation.spec.endpoint.method === 'GET') continue;
			for (const value of [true, '={{ true }}']) {
				const { sent, error } = await sentWith(one, {}, { [name]: value });
				expect([one.name, sent]).toEqual([one.name, []]);
				expect(error?.message).toContain(`"${name}" is no field of`);
			}
		}
	});

	test.each([
		'maxCredits',
		'max_credits',
		'maxCreditsPerDay',
		'max_credits_per_day',
		'idempotency',
	])('%s with whatever costs: nothing is sent', async (name) => {
		for (const one of await allCases()) {
			if (!one.operation.spec.charges || hasOwn(one, name)) continue;
			const { sent, error } = await sentWith(
				one,
				{},
				{ [name]: name === 'idempotency' ? 'content' : 5 },
			);
			expect([one.name, sent]).toEqual([one.name, []]);
			expect(error?.description).toMatch(/Its name is "(options|additionalFields)\./);
			if (name === 'idempotency') continue;
			const nothing = await sentWith(one, {}, { [name]: 0 });
			expect([one.name, nothing.sent]).toEqual([one.name, []]);
		}
	});

	test('what an operation before has left is no obstacle, once the field of this one is set', async () => {
		const [create] = (await allCases()).filter(({ name }) => name === 'MediaGen Agent Run: Create');
		const options = { maxCredits: 1_000 };
		expect((await sentWith(create!, options, { maxCredits: 80 })).sent).toHaveLength(1);
	});

	test('a budget beside its collection is an error where it is needed, also with a limit in its place', async () => {
		const [create] = (await allCases()).filter(({ name }) => name === 'MediaGen Agent Run: Create');
		const options = { maxCredits: 1_000 };
		for (const autoApprove of [true, '={{ true }}']) {
			const { sent, error } = await sentWith(create!, options, { maxCredits: 80, autoApprove });
			expect(sent).toEqual([]);
			expect(error?.description).toMatch(/Its name is "additionalFields.maxCredits"/);
			const both = { maxCredits: 80, autoApprove, additionalFields: { maxCredits: 50 } };
			expect((await sentWith(create!, options, both)).error?.message ?? '').not.toMatch(/no field/);
		}
	});

	test('what is off is no obstacle, nor is a limit for what costs nothing', async () => {
		for (const one of await allCases()) {
			if (one.operation.spec.endpoint.method === 'GET') continue;
			const off = await sentWith(one, {}, { dryRun: false, dry_run: '' });
			expect([one.name, off.error?.message ?? '']).toEqual([
				one.name,
				expect.not.stringContaining('is no field of'),
			]);
		}
		const [persona] = (await allCases()).filter(({ name }) => name === 'MediaGen Persona: Delete');
		expect((await sentWith(persona!, {}, { maxCredits: 0 })).sent).toHaveLength(1);
	});
});
