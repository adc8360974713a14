export * from './media';
export * from './number';
export { located } from './rule';
export type { Rule, RuleContext, Ruled } from './rule';
export * from './text';
