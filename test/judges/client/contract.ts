import type { EventKind } from '../../../src/contract';
import type * as own from '../../../src/sandbox/bodies';
import type { components, webhooks } from './generated';

/**
 * The types of src/sandbox/bodies by the schemas that describe the same. Bodies of requests have none
 * there: the sandbox and docs/openapi.json take them from the same schemas.
 */
interface Contract {
	Error: own.ErrorBody;
	Model: own.Model;
	PresetVoice: own.PresetVoice;
	Generation: own.Generation;
	SpeechGeneration: own.SpeechGeneration;
	AgentRun: own.AgentRun;
	Voice: own.Voice;
	Persona: own.Persona;
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

export const toEvent = (contract: EventKind): keyof webhooks => contract;
export const fromEvent = (generated: keyof webhooks): EventKind => generated;
