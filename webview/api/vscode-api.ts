/** What the editor's webview frame offers. https://code.visualstudio.com/api/extension-guides/webview */
export interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}
