import type * as own from '../../../src/contract';
import type { components, operations, webhooks } from './generated';

/** The types of src/contract by the schemas that describe the same. */
interface Contract {
	Error: own.ErrorBody;
	Model: own.Model;
	PresetVoice: own.PresetVoice;
	CreateFile: own.CreateFile;
	CreateGeneration: own.CreateGeneration;
	Generation: own.Generation;
	CreateSpeechGeneration: own.CreateSpeechGeneration;
	SpeechGeneration: own.SpeechGeneration;
	CreateAgentRun: own.CreateAgentRun;
	ApproveAgentRun: own.ApproveAgentRun;
	ReviewAgentRun: own.ReviewAgentRun;
	AgentRun: own.AgentRun;
	CreateVoice: own.CreateVoice;
	RenameVoice: own.RenameVoice;
	Voice: own.Voice;
	CreatePersona: own.CreatePersona;
	UpdatePersona: own.UpdatePersona;
	Persona: own.Persona;
	CreateWebhook: own.CreateWebhook;
	UpdateWebhook: Partial<own.CreateWebhook>;
	Webhook: own.Webhook;
}

type Schemas = Pick<components['schemas'], keyof Contract>;

/** With every field required, as one that only one side has would pass otherwise. */
type Complete<T> = T extends object ? { [Field in keyof T]-?: Complete<T[Field]> } : T;

// Each compiles only while one side can be assigned to the other.
export const toContract = (generated: Schemas): Contract => generated;
export const toSchemas = (contract: Contract): Schemas => contract;
export const allToContract = (generated: Complete<Schemas>): Complete<Contract> => generated;
export const allToSchemas = (contract: Complete<Contract>): Complete<Schemas> => contract;

/** What the contract has no type of its own for. */
export const others: Record<Exclude<keyof components['schemas'], keyof Contract>, string> = {
	Event: 'its shape is not shown',
	FileUpload: 'read field by field, as its further fields are not shown',
	VoiceCatalog: 'a list of preset voices',
	ModelList: 'a list',
	GenerationList: 'a list',
	AgentRunList: 'a list',
	VoiceList: 'a list',
	PersonaList: 'a list',
	WebhookList: 'a list',
};

type Query = NonNullable<operations['listPresetVoices']['parameters']['query']>;
export const toQuery = (contract: own.VoiceCatalogQuery): Query => contract;
export const fromQuery = (generated: Query): own.VoiceCatalogQuery => generated;

export const toEvent = (contract: own.EventKind): keyof webhooks => contract;
export const fromEvent = (generated: keyof webhooks): own.EventKind => generated;
