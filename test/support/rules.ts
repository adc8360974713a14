import type { RuleContext } from '../../src/description/rules';

export const context: RuleContext = {
	baseUrl: 'https://api.example/v1',
	binaryFields: ['data', 'clip'],
};

export const localContext: RuleContext = { ...context, baseUrl: 'http://127.0.0.1:4010/v1' };
