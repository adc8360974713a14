export * from './json';
export * from './media';
export * from './number';
export { LEFT_OUT, located, whenSet } from './rule';
export type { Rule, RuleContext, Ruled } from './rule';
export * from './text';
