export * from './json';
export * from './media';
export * from './number';
export * from './rule';
export * from './text';
