export * from './json';
export * from './media';
export * from './number';
export { located, whenSet } from './rule';
export type { Rule, RuleContext, Ruled } from './rule';
export * from './text';
