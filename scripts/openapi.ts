/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod/v4';
import { ENDPOINTS, type EndpointName } from '../src/contract';
import * as request from '../src/sandbox/schemas';
import { projectRoot } from '../lab/process/paths';

/** As much of an OpenAPI document as the scripts read or write. */
interface Document {
	paths: Record<string, Record<string, Operation>>;
	components: { schemas: Record<string, object> };
}

interface Operation {
	parameters?: Parameter[];
	responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

interface Parameter {
	name: string;
	in: string;
	schema?: object;
}

/** The bodies of requests, by the names of their schemas in the document. */
const BODIES: Record<string, z.ZodType> = {
	CreateFile: request.createFileSchema,
	CreateGeneration: request.createGenerationSchema,
	CreateSpeechGeneration: request.createSpeechSchema,
	CreateAgentRun: request.createAgentRunSchema,
	ApproveAgentRun: request.approveAgentRunSchema,
	ReviewAgentRun: request.reviewAgentRunSchema,
	CreateVoice: request.createVoiceSchema,
	RenameVoice: request.renameVoiceSchema,
	CreatePersona: request.createPersonaSchema,
	UpdatePersona: request.updatePersonaSchema,
	CreateWebhook: request.createWebhookSchema,
	UpdateWebhook: request.updateWebhookSchema,
};

const QUERIES: Partial<Record<EndpointName, z.ZodObject>> = {
	listModels: request.listModelsQuery,
	listGenerations: request.listQuery,
	listAgentRuns: request.listQuery,
	listVoices: request.listQuery,
	listPresetVoices: request.voiceCatalogQuery,
	listPersonas: request.listQuery,
	getUsage: request.usageQuery,
	listWebhooks: request.listQuery,
	listDeliveries: request.listQuery,
};

const file = path.join(projectRoot, 'docs', 'openapi.json');

export const readDocument = () => JSON.parse(readFileSync(file, 'utf8')) as Document;

/** The operation of the document at an endpoint. */
export function operationAt(document: Document, name: EndpointName): Operation {
	const operation = document.paths[ENDPOINTS[name].path]?.[ENDPOINTS[name].method.toLowerCase()];
	if (!operation) throw new Error(`docs/openapi.json has no ${name}`);
	return operation;
}

function jsonSchema(schema: z.ZodType): object {
	const made = z.toJSONSchema(schema, {
		io: 'input',
		unrepresentable: 'any',
		// That an object may have further fields goes without saying, and generated types would take
		// any name where it is said.
		override: ({ jsonSchema: part }) => {
			const hasFields = Object.keys(part.properties ?? {}).length > 0;
			if (hasFields && part.additionalProperties !== false) delete part.additionalProperties;
		},
	});
	delete made.$schema;
	return made;
}

/**
 * The document with the requests as the sandbox validates them. All else in it is written by hand:
 * tests hold it to the endpoint table and to the answers of the sandbox.
 */
export function updatedDocument(): Document {
	const document = readDocument();
	for (const [name, schema] of Object.entries(BODIES))
		document.components.schemas[name] = jsonSchema(schema);
	for (const [name, { shape }] of Object.entries(QUERIES)) {
		const operation = operationAt(document, name as EndpointName);
		const given = operation.parameters ?? [];
		const queried = Object.entries(shape).map(([field, schema]) => ({
			...(given.find((one) => one.name === field) ?? { name: field, in: 'query', required: false }),
			schema: jsonSchema(schema as z.ZodType),
		}));
		operation.parameters = [...given.filter((one) => one.in !== 'query'), ...queried];
	}
	return document;
}

// A test sees to it that the file is not out of date.
if (require.main === module)
	writeFileSync(file, `${JSON.stringify(updatedDocument(), null, '\t')}\n`);
