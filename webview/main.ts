/** Entry of the view: one element on the page, one channel to the host. */
import { connect } from './api/session-client.ts';
import './elements/dsh-app.ts';
import { bridgeContextMenus } from './state/context-menu.ts';
import { TimelineModel } from './state/model.ts';
import './api/vscode-api.ts';

const api = acquireVsCodeApi();
const client = connect(api, (name, data) => {
  model.onHostEvent(name, data);
});
const model = new TimelineModel(api, client);
const app = document.createElement('dsh-app');
app.model = model;
document.body.append(app);
bridgeContextMenus(document);
window.addEventListener('pagehide', () => {
  model.save();
});
void model.start();
