/** Entry of the view: one element on the page, one channel to the host. */
import { connect } from './api/session-client.ts';
import type { VsCodeApi } from './api/vscode-api.ts';
import { DshApp } from './elements/dsh-app.ts';
import { bridgeContextMenus } from './state/context-menu.ts';
import { onHostEvent } from './state/host-events.ts';
import { TimelineModel } from './state/model.ts';

/** The frame's own function; it may be called once per page. */
declare function acquireVsCodeApi(): VsCodeApi;

const api = acquireVsCodeApi();
const client = connect(api, (name, data) => {
  onHostEvent(model, name, data);
});
const model = new TimelineModel(api, client);
const app = new DshApp();
app.model = model;
document.body.append(app);
bridgeContextMenus(document);
window.addEventListener('pagehide', () => {
  model.save();
});
void model.start();
