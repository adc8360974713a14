export * from './json';
export * from './media';
export * from './number';
export { LEFT_OUT, fromLocator as located, whenSet } from './rule';
export type { Rule, RuleContext, Ruled } from './rule';
export * from './text';
