import type { INode } from 'n8n-workflow';
import { isOurs, numberOf, readExamples } from '../../lab/demo/examples';
import type { WorkflowData } from '../../lab/n8n/rest';
import { MODELS } from '../../sandbox/catalogue/models';
import { presetVoices } from '../../sandbox/catalogue/voices';
import { SPEECH_MODELS } from '../../src/api';

/*
 * What every example keeps, so that it runs as it is imported: n8n fills in the credential, and nothing else
 * is asked for that the example could do itself.
 */

const examples = readExamples();
const textOf = ({ nodes }: WorkflowData) => JSON.stringify(nodes);

const ofSpecification: readonly string[] = SPEECH_MODELS;
const ALL_VOICES = 1_000;
const INVENTED = [
	...MODELS.map(({ id }) => id).filter((id) => !ofSpecification.includes(id)),
	...SPEECH_MODELS.flatMap((model) => presetVoices(model, ALL_VOICES)).map(({ id }) => id),
];

/** Example 10 tells a person the model before anything is paid for, so it is chosen in it. */
const withoutChoice = examples.filter(({ name }) => numberOf(name) !== '10');

test.each(withoutChoice)(
	'$name: holds no model and no voice that only the sandbox has',
	(example) => {
		expect(INVENTED.filter((id) => textOf(example).includes(id))).toEqual([]);
	},
);

test.each(examples)(
	'$name: touches no folder, as nobody knows which one n8n may write to',
	(example) => {
		const { nodes } = example;
		expect(nodes.filter(({ type }) => type.endsWith('.readWriteFile'))).toEqual([]);
		expect(textOf(example)).not.toMatch(/\/home\/|RESTRICT_FILE_ACCESS/);
	},
);

test.each(withoutChoice)(
	'$name: its notes do not ask for what n8n fills in at the import',
	({ nodes }) => {
		const notes = nodes.filter(({ type }) => type.endsWith('.stickyNote'));
		for (const { parameters } of notes)
			expect(parameters.content).not.toMatch(/choose your \*\*MediaGen account|the sandbox's/i);
	},
);

const targetsOf = ({ connections }: WorkflowData, name: string) =>
	(connections[name]?.main ?? []).flatMap((output) => output ?? []).map(({ node }) => node);

/** The nodes behind a trigger as n8n runs them: the upper branch to its end, then the next. */
function orderFrom(workflow: WorkflowData, trigger: string): INode[] {
	const byName = new Map(workflow.nodes.map((node) => [node.name, node]));
	const [place, order] = [
		(name: string) => byName.get(name)?.position ?? [0, 0],
		new Set<string>(),
	];
	const visit = (name: string) => {
		if (order.has(name)) return;
		order.add(name);
		const next = [...targetsOf(workflow, name)];
		next.sort((a, b) => place(a)[1] - place(b)[1] || place(a)[0] - place(b)[0]);
		next.forEach(visit);
	};
	visit(trigger);
	return [...order].flatMap((name) => byName.get(name) ?? []);
}

const isTrigger = ({ type }: INode) => /Trigger$/.test(type);
const tableMadeBy = ({ parameters }: INode) =>
	parameters.operation === 'create' ? parameters.tableName : undefined;
const tableUsedBy = ({ parameters: { dataTableId } }: INode) =>
	(dataTableId as { value?: string } | undefined)?.value;
const makesMedia = (node: INode) =>
	isOurs(node) && /^(generate|create|clone|design|approve)/.test(String(node.parameters.operation));

const starts = examples.flatMap((example) =>
	example.nodes.filter(isTrigger).map((trigger): [string, string, WorkflowData] => {
		return [example.name, trigger.name, example];
	}),
);

test.each(starts)(
	'%s, from "%s": makes its tables before it uses one or spends',
	(_, name, example) => {
		const order = orderFrom(example, name);
		const used = order.flatMap((node) => tableUsedBy(node) ?? []);
		const made = order.map(tableMadeBy);
		for (const table of new Set(used)) {
			const at = made.indexOf(table);
			expect([table, at >= 0]).toEqual([table, true]);
			const before = order.slice(0, at);
			expect(before.filter((node) => makesMedia(node) || tableUsedBy(node) === table)).toEqual([]);
		}
	},
);

test('under a key of their own no example takes the first model, which another day may be another one', () => {
	for (const { nodes } of examples) {
		const asked = nodes.map(({ parameters }) => JSON.stringify(parameters));
		expect(asked.filter((one) => /"first"/.test(one) && /"custom"/.test(one))).toEqual([]);
	}
});
