import { z } from 'zod/v4';

import { ENDPOINTS, EVENTS } from '../../contract';
import { FAULT_NOTES, faultRuleSchema } from '../http/faults';
import { SETTING_GROUPS, SETTING_NOTES } from '../state/settingNotes';
import { settingsSchema } from '../state/settings';

/** Operations that a fault rule may name besides those of the contract. */
const FILE_OPERATIONS = ['readOutput'];

/**
 * What the page makes its forms from: the schemas that judge what they send, and a sentence for
 * each field.
 */
export function forms(): object {
	const schema = (of: z.ZodType) => z.toJSONSchema(of, { io: 'input', unrepresentable: 'any' });
	return {
		settings: {
			schema: schema(settingsSchema),
			groups: SETTING_GROUPS,
			notes: SETTING_NOTES,
		},
		faults: {
			schema: schema(faultRuleSchema),
			kinds: FAULT_NOTES,
			operations: [...Object.keys(ENDPOINTS), ...FILE_OPERATIONS],
			events: EVENTS,
		},
	};
}
