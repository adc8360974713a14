import type { AgentRun } from './agentRun';
import type { Generation } from './generation';
import type { Persona } from './persona';
import type { SpeechGeneration } from './speech';

/** What GET /jobs/{id} can answer; `object` tells which. Specification: Operation details. */
export type Job = Generation | SpeechGeneration | AgentRun | Persona;

/** The `object` constants of the four kinds of jobs. */
export const JOB_OBJECTS = ['generation', 'speech_generation', 'agent_run', 'persona'] as const;
