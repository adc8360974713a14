/*
 * Run by Node itself, as jest does not look into the lab: n8n's own validator of workflows, and its synthesis
 * of TypeScript types from node descriptions, which is what it shows to models that build workflows with our
 * nodes. Reads { nodes, workflows: { [name]: workflow } }, prints { issues: [], types: { [node]: text } }.
 */
const { mkdtempSync, readFileSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const lab = join(__dirname, '..', '..', '..', 'lab', 'node_modules');
const sdk = require(join(lab, '@n8n/workflow-sdk'));
const synthesis = join(lab, 'n8n/dist/modules/mcp-registry/synthesize-type-def.js');
const { synthesizeNodeTypeDef } = require(synthesis);

const BUILT_IN = ['n8n-nodes-base', '@n8n/n8n-nodes-langchain'];

/** Descriptions by full name; one node has several where it has several versions. */
function descriptions(ours) {
	const found = new Map();
	const add = (name, description) => found.set(name, [...(found.get(name) ?? []), description]);
	for (const name of BUILT_IN) {
		const types = JSON.parse(readFileSync(join(lab, name, 'dist/types/nodes.json'), 'utf8'));
		for (const one of types) add(`${name}.${one.name}`, one);
	}
	for (const one of ours) add(one.name, one);
	return found;
}

/** As far as the validator asks: a node by name and version, also as the tool that n8n makes of it. */
const provider = (types) => ({
	getByNameAndVersion(name, version) {
		const versions = types.get(name) ?? types.get(name.replace(/Tool$/, ''));
		const description = versions?.find((one) => [one.version].flat().includes(version));
		return description && { description };
	},
});

async function judge({ nodes, workflows }) {
	const folder = mkdtempSync(join(tmpdir(), 'mediagen-judge-'));
	try {
		const copies = nodes.map((node) => ({ ...node }));
		await sdk.orchestrateGeneration({ nodes: copies, outputDir: folder });
		const options = {
			strictMode: true,
			nodeTypesProvider: provider(descriptions(nodes)),
			nodeDefinitionDirs: [
				...BUILT_IN.map((name) => join(lab, name, 'dist/node-definitions')),
				folder,
			],
		};
		const issues = Object.entries(workflows).flatMap(([file, json]) =>
			sdk
				.validateWorkflowBuilder(sdk.workflow.fromJSON(json), options)
				.issues.map(({ severity, code, message }) => `${file}: ${severity} ${code}: ${message}`),
		);
		const types = nodes.map((node) => [node.name, synthesizeNodeTypeDef(node)]);
		return { issues, types: Object.fromEntries(types) };
	} finally {
		rmSync(folder, { recursive: true });
	}
}

judge(JSON.parse(readFileSync(0, 'utf8'))).then((found) => console.log(JSON.stringify(found)));
