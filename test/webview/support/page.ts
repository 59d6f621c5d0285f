/**
 * The page the host would make, under the same content policy, and a stand-in for the editor's API that passes messages
 * through a binding. Buffers cross as base64 text, since the binding speaks JSON. Messages of one task cross together, each still
 * arriving as a message of its own; they carry the name of their document, so that none crosses into the next one.
 */
export const origin = 'http://view.test';
const nonce = 'dGVzdA';

const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${origin}; font-src ${origin}; img-src ${origin} data:`;

export const pageHtml = (locale: string): string => `<!DOCTYPE html>
<html lang="${locale}">
  <head>
    <meta charset="UTF-8" />
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    <title>Session timeline</title>
    <link rel="stylesheet" href="codicon.css" />
    <script nonce="${nonce}" src="editor.js"></script>
  </head>
  <body>
    <script type="module" nonce="${nonce}" src="webview.js"></script>
  </body>
</html>`;

/** Runs in the page, before the view. */
export const editorScript = `(() => {
  const id = performance.timeOrigin + ' ' + Math.random();
  if (sessionStorage.getItem('place') !== location.search) sessionStorage.clear(); // another log; the same one keeps its state
  sessionStorage.setItem('place', location.search);
  const theme = JSON.parse(sessionStorage.getItem('theme') ?? 'null') ?? window.startTheme;
  window.setTheme = ({ variables, className }) => {
    document.documentElement.removeAttribute('style');
    for (const [name, value] of Object.entries(variables)) document.documentElement.style.setProperty(name, value);
    document.body.className = className;
    document.body.style.setProperty('margin', '0');
    sessionStorage.setItem('theme', JSON.stringify({ variables, className }));
  };
  document.addEventListener('DOMContentLoaded', () => window.setTheme(theme));
  const revive = (value) => {
    if (typeof value !== 'object' || value === null) return value;
    if (typeof value.$bytes === 'string') {
      const bytes = Uint8Array.from(atob(value.$bytes), (letter) => letter.charCodeAt(0));
      return value.$array === 'Uint32Array' ? new Uint32Array(bytes.buffer) : bytes.buffer;
    }
    for (const key of Object.keys(value)) value[key] = revive(value[key]);
    return value;
  };
  window.fromHost = (parcels) => {
    for (const { to, text } of parcels) if (to === undefined || to === id) window.postMessage(revive(JSON.parse(text)), '*');
  };
  window.policyViolations = [];
  document.addEventListener('securitypolicyviolation', (event) => {
    window.policyViolations.push(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample);
  });
  window.contextMenus = [];
  window.addEventListener('contextmenu', (event) => {
    const target = event.target;
    window.contextMenus.push(target instanceof HTMLElement ? (target.dataset.vscodeContext ?? '') : '');
    event.preventDefault();
  });
  let outgoing = [];
  const send = () => {
    const texts = outgoing;
    outgoing = [];
    void window.toHost(id, texts);
  };
  window.acquireVsCodeApi = () => ({
    postMessage: (message) => {
      if (outgoing.push(JSON.stringify(message)) === 1) queueMicrotask(send);
    },
    getState: () => JSON.parse(sessionStorage.getItem('state') ?? 'null') ?? undefined,
    setState: (state) => sessionStorage.setItem('state', JSON.stringify(state)),
  });
})();`;
