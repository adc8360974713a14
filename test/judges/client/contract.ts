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
	Json,
	ModelMode,
	ReviewDecision,
	SPEECH_MODELS,
} from '../../../src/contract';
import type * as own from '../../../sandbox/bodies';
import type { components, operations, webhooks } from './generated';

/** What a list answers. Specification: Other response bodies. */
interface List<Entry> {
	object: 'list';
	data: Entry[];
	has_more?: boolean;
	next_cursor?: string | null;
}

/**
 * Our types by the schemas that describe the same. The sandbox forms lists, uploads and the catalogue of
 * voices without types of their own, so these are written here, as the specification shows them. Whole
 * bodies of requests are left out: the sandbox and docs/openapi.json take them from the same schemas.
 */
interface Answers {
	Error: own.ErrorBody;
	FileUpload: { [field: string]: unknown } & {
		upload_url: string;
		upload_headers: Record<string, string>;
		url: string;
	};
	Model: own.Model;
	ModelList: List<own.Model>;
	PresetVoice: own.PresetVoice;
	VoiceCatalog: { object: 'list'; model: string; data: own.PresetVoice[] };
	Generation: own.Generation;
	GenerationList: List<own.Generation>;
	SpeechGeneration: own.SpeechGeneration;
	AgentRun: own.AgentRun;
	AgentRunList: List<own.AgentRun>;
	Voice: own.Voice;
	VoiceList: List<own.Voice>;
	Persona: own.Persona;
	PersonaList: List<own.Persona>;
	Webhook: own.Webhook;
	WebhookList: List<own.Webhook>;
}

/** What has no schema of its own: open answers, and the enumerations of src/contract. */
interface Parts {
	credits: Json;
	usage: Json;
	deliveries: List<own.WebhookDelivery>;
	mode: GenerationMode;
	delivery: Delivery;
	slot: InputSlot;
	parameters: GenerationParameters;
	status: GenerationStatus;
	speechModel: (typeof SPEECH_MODELS)[number];
	speechDelivery: Delivery;
	catalogModel: (typeof SPEECH_MODELS)[number];
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
type Answer<Name extends 'getCredits' | 'getUsage' | 'listDeliveries'> =
	operations[Name]['responses'][200]['content']['application/json'];

interface GeneratedParts {
	credits: Answer<'getCredits'>;
	usage: Answer<'getUsage'>;
	deliveries: Answer<'listDeliveries'>;
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

type Contract = Answers & Parts;
type Generated = Pick<components['schemas'], keyof Answers> & GeneratedParts;

// Each compiles only while one side can be assigned to the other.
export const toContract = (generated: Generated): Contract => generated;
export const toGenerated = (contract: Contract): Generated => contract;
export const allToContract = (generated: Complete<Generated>): Complete<Contract> => generated;
export const allToGenerated = (contract: Complete<Contract>): Complete<Generated> => contract;
