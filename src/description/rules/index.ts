export * from './media';
export * from './number';
export type { Rule, RuleContext, Ruled } from './rule';
export * from './text';
