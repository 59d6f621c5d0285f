export { documentRefOf, listChecks, sessionChecks, viewChecks, ROWS_PER_CALL } from './guards.ts';
export * from './compare.ts';
export * from './export.ts';
export * from './fork.ts';
export * from './list.ts';
export * from './replay.ts';
export * from './rpc.ts';
export * from './session.ts';
export * from './view.ts';
