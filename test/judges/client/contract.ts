import type {
	AGENT_PRIORITIES,
	Delivery,
	DIRECTION_STRATEGIES,
	EndpointName,
	EventKind,
	GenerationMode,
	GenerationParameters,
	GenerationStatus,
	InputSlot,
	ModelMode,
	ReviewDecision,
	SpeechModel,
} from '../../../src/api';
import type { components, operations, webhooks } from './generated';

/**
 * The parts of src/api, by where the document has them. Whole bodies of requests are left out, as the
 * sandbox and docs/openapi.json take them from the same schemas; each answer of the sandbox is held to
 * the document where tests call it.
 */
interface Contract {
	mode: GenerationMode;
	delivery: Delivery;
	slot: InputSlot;
	parameters: GenerationParameters;
	status: GenerationStatus;
	speechModel: SpeechModel;
	speechDelivery: Delivery;
	catalogModel: SpeechModel;
	priority: (typeof AGENT_PRIORITIES)[number];
	strategy: (typeof DIRECTION_STRATEGIES)[number];
	decision: ReviewDecision;
	modelMode: ModelMode;
	events: EventKind[];
	event: EventKind;
}

/** With every field required, as one that only one side has would pass otherwise. */
type Complete<T> = T extends object ? { [Field in keyof T]-?: Complete<T[Field]> } : T;

type Bodies = Complete<components['schemas']>;
type Query<Name extends EndpointName> = Complete<operations[Name]['parameters']>['query'];

interface Generated {
	mode: Bodies['CreateGeneration']['mode'];
	delivery: Bodies['CreateGeneration']['delivery'];
	slot: keyof Bodies['CreateGeneration']['input'];
	parameters: NonNullable<components['schemas']['CreateGeneration']['parameters']>;
	status: Bodies['Generation']['status'];
	speechModel: Bodies['CreateSpeechGeneration']['model'];
	speechDelivery: Bodies['CreateSpeechGeneration']['delivery'];
	catalogModel: Query<'listPresetVoices'>['model'];
	priority: Bodies['CreateAgentRun']['priority'];
	strategy: Bodies['CreateAgentRun']['direction_strategy'];
	decision: Bodies['ReviewAgentRun']['decision'];
	modelMode: Query<'listModels'>['mode'];
	events: Bodies['CreateWebhook']['events'];
	event: keyof webhooks;
}

// Each compiles only while one side can be assigned to the other.
export const toContract = (generated: Generated): Contract => generated;
export const toGenerated = (contract: Contract): Generated => contract;
export const allToContract = (generated: Complete<Generated>): Complete<Contract> => generated;
export const allToGenerated = (contract: Complete<Contract>): Complete<Generated> => contract;
