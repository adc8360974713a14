import type { Json } from '../base/types';

/** The outputs of a job: `outputs` of a generation, `output` of a speech generation. */
export const outputsIn = ({ outputs, output }: Json): unknown[] =>
	Array.isArray(outputs) ? outputs : [output];
