export * from './list.ts';
export * from './rpc.ts';
export * from './session.ts';
export * from './view.ts';
