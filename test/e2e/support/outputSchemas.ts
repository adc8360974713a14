/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject, INode } from 'n8n-workflow';
import { projectRoot } from '../../../lab/process/paths';
import type { Execution } from '../../../lab/n8n/rest';

const OURS = /^n8n-nodes-mediagen\.mediaGen(\w*?)(?:Tool)?$/;

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
const validators = new Map<string, ValidateFunction | undefined>();

function validatorAt(file: string): ValidateFunction | undefined {
	if (!validators.has(file)) {
		const text = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
		validators.set(file, text === undefined ? undefined : ajv.compile(JSON.parse(text) as object));
	}
	return validators.get(file);
}

/** Triggers have no operation and no schema. */
function validatorOf({ type, typeVersion, parameters }: INode): ValidateFunction | undefined {
	const found = OURS.exec(type);
	if (!found || /Trigger$/.test(type)) return undefined;
	const folder = found[1] || 'MediaGen';
	const { resource, operation } = parameters;
	const parts = [resource, operation ?? 'create'].filter((part) => typeof part === 'string');
	const schemas = path.join(projectRoot, 'nodes', folder, '__schema__', `v${typeVersion}.0.0`);
	const validator = validatorAt(`${path.join(schemas, ...parts)}.json`);
	if (!validator && operation !== undefined) {
		throw new Error(`${type} has no output schema for ${parts.join('/')}`);
	}
	return validator;
}

/** What the node has put out: with Include Input Fields it stands in one field of the row. */
function resultIn({ parameters }: INode, row: IDataObject): IDataObject {
	const { includeInputFields, resultField = 'mediagen' } = (parameters.options ??
		{}) as IDataObject;
	return includeInputFields === true ? (row[String(resultField)] as IDataObject) : row;
}

/** A row that has failed holds the fields of its input, which may be anything, and the message. */
const isErrorRow = ({ error }: IDataObject) => error !== undefined;

/** What n8n itself outputs for a node with Always Output Data that has put out nothing. */
const isOfN8n = ({ alwaysOutputData }: INode, json: IDataObject) =>
	alwaysOutputData === true && Object.keys(json).length === 0;

/**
 * Holds every item that one of our nodes has output in an execution against the schema that n8n serves for
 * it.
 *
 * @throws Error naming node, field and problem
 */
export function holdAgainstSchemas({ workflowData, data }: Execution): void {
	// Nothing is saved before the first node has ended.
	const runData = (data as Execution['data'] | undefined)?.resultData.runData ?? {};
	for (const node of workflowData.nodes) {
		const validate = validatorOf(node);
		if (!validate) continue;
		const runs = runData[node.name] ?? [];
		const items = runs.flatMap((run) => run.data?.main?.flatMap((output) => output ?? []) ?? []);
		for (const { json: whole } of items) {
			const json = resultIn(node, whole);
			if (isErrorRow(whole) || isOfN8n(node, json) || validate(json)) continue;
			const problems = ajv.errorsText(validate.errors, { dataVar: 'json' });
			throw new Error(`${node.name} (${node.type}): ${problems} in ${JSON.stringify(json)}`);
		}
	}
}
