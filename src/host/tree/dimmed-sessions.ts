import * as vscode from 'vscode';

const scheme = 'dsh-dimmed';

/** A resource that exists only to be dimmed: tree items take their label colour from decorations alone. */
export function dimmedUri(key: string): vscode.Uri {
  return vscode.Uri.from({ scheme, path: `/${encodeURIComponent(key)}` });
}

/** Empty and hidden sessions in a quieter colour; that they are is also said in words. */
export function registerDimmedSessions(): vscode.Disposable {
  return vscode.window.registerFileDecorationProvider({
    provideFileDecoration: (uri) => (uri.scheme === scheme ? { color: new vscode.ThemeColor('disabledForeground') } : undefined),
  });
}
