export { dateTime } from './dateTime';
export { flag } from './flag';
export { jsonObject, parsedJson } from './json';
export { binaryField, media, oneMedia } from './media';
export { minutes, number } from './number';
export { ABSENT, isEmptyText, located, optional, whenThere } from './rule';
export type { Rule, RuleContext, Ruled } from './rule';
export { choice, choices, httpsUrl, id, name, names, prose } from './text';
