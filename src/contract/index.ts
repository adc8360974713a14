export * from './endpoints';
export * from './event';
export * from './json';
export * from './limits';
export * from './values';
