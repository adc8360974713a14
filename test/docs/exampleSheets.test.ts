/* eslint-disable @n8n/community-nodes/no-dangerous-functions -- not published */
import type { INode } from 'n8n-workflow';
import { readExamples } from '../../lab/demo/examples';

/** What a person, or whoever answers as the service, can write into a field that a sheet shows. */
const HOSTILE = `"><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7 * 7 }}$&\${1}'\``;

/** What must not come through: a tag or an attribute, an expression of n8n's, a pattern of `replace`. */
const THROUGH = /<script|<img src=x|\{\{|\}\}|\$&|\$\{|javascript:/;

/** Anything that is read of it is hostile, except links, which are of the given scheme. */
function hostile(fields: Record<string, unknown>): unknown {
	const get = (given: Record<string, unknown>, name: string) =>
		name in given ? given[name] : HOSTILE;
	return new Proxy(fields, { get });
}

const sheets = readExamples().flatMap(({ name, nodes }) =>
	nodes
		.filter(({ parameters }) => String(parameters.jsCode).includes('const safe'))
		.map((node): [string, string, INode] => [name, node.name, node]),
);

/** As n8n runs the code for all items at once. */
function run({ parameters }: INode, jsons: unknown[]): unknown {
	const items = jsons.map((json) => ({ json }));
	const node = { first: () => items[0], all: () => items, isExecuted: true };
	const code = new Function('$input', '$', String(parameters.jsCode));
	return code(node, () => node) as unknown;
}

/** All texts of a result. */
const textsIn = (value: unknown): string[] => {
	if (typeof value === 'string') return [value];
	return typeof value === 'object' && value ? Object.values(value).flatMap(textsIn) : [];
};

function rowsWith(link: string): unknown[] {
	const job = { url: link, outputs: [] };
	const mediagen = [hostile({ ...job, error: undefined }), hostile({ ...job, error: HOSTILE })];
	return ['done', 'failed', 'ordered', HOSTILE].flatMap((status) =>
		mediagen.map((one) =>
			hostile({ mediagen: one, number: 1, status, url: link, frame: link, link }),
		),
	);
}

it.each(sheets)(
	'%s, "%s": nothing that others have written becomes HTML or an expression',
	(_, __, node) => {
		for (const link of [`https://example.com/${HOSTILE}`, 'javascript:alert(1)', HOSTILE]) {
			const shown = textsIn(run(node, rowsWith(link))).join('\n');
			expect(shown.includes('alert(1)')).toBe(true);
			expect(THROUGH.exec(shown)?.[0]).toBeUndefined();
		}
	},
);

it('every sheet of HTML is filled from such a code and from nothing else', () => {
	for (const { name, nodes, connections } of readExamples()) {
		for (const html of nodes.filter(({ type }) => type === 'n8n-nodes-base.html')) {
			const before = Object.keys(connections).filter((from) =>
				JSON.stringify(connections[from]).includes(`"${html.name}"`),
			);
			const safe = sheets.filter(([example]) => example === name).map(([, code]) => code);
			expect(before.filter((from) => !safe.includes(from))).toEqual([]);
			const filled = [...String(html.parameters.html).matchAll(/\{\{(.*?)\}\}/g)];
			expect(filled).not.toEqual([]);
			for (const [, expression] of filled) expect(expression).toMatch(/^ \$json\.\w+ $/);
		}
	}
});
