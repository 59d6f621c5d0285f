/** Entry of every worker thread: one serves the session list, one each an open log. Nothing here may end the thread. */
import { parentPort, workerData } from 'node:worker_threads';
import { english, type Text } from '../core/index.ts';
import { isMessage, serve, type Message, type Service } from '../protocol/index.ts';
import { followSession, openSession } from '../storage/index.ts';
import { fields, stringOf } from '../timeline/index.ts';
import { createListService } from './list-service.ts';
import { createSessionService } from './session-service.ts';

const port = parentPort;
if (!port) throw new Error('the worker entry runs in a worker thread only');

const job = fields(workerData);
const post = (message: Message, buffers: readonly ArrayBuffer[]): void => port.postMessage(message, [...buffers]);
const emit = (name: string, data: unknown): void => post({ kind: 'event', name, data }, []);

function listen<M>(service: Service<M>): void {
  const receive = serve(service, post);
  port?.on('message', (message: unknown) => {
    if (isMessage(message)) receive(message);
  });
}

const bundle = fields(job['bundle']);
const t = (text: Text): string => {
  const template = stringOf(bundle[text.template]);
  return english(template === undefined ? text : { ...text, template });
};

if (job['role'] === 'list') {
  listen(createListService());
} else {
  const session = createSessionService(stringOf(job['path']) ?? '', {
    open: openSession,
    follow: followSession,
    emit,
    t,
  });
  listen(session.service);
}
