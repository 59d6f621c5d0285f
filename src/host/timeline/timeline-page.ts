import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { pageContext } from './page-context.ts';

/**
 * The view's page. Nothing but our own bundle runs and nothing is fetched from anywhere (design.md §7). Images: pictures
 * of ours, and `data:` for what the view draws itself.
 */
export function timelinePage(webview: vscode.Webview, dist: vscode.Uri, log: string): string {
  const nonce = randomBytes(18).toString('base64url');
  const resource = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
  const policy = [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    `img-src ${webview.cspSource} data:`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${vscode.env.language.replace(/[^\w-]/g, '')}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${resource('codicon.css')}">
<title>DSH Session Timeline</title>
</head>
<body data-vscode-context="${pageContext(log)}">
<script type="module" nonce="${nonce}" src="${resource('webview.js')}"></script>
</body>
</html>`;
}
