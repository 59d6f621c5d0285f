import { listFiles, PackageManager } from '@vscode/vsce';
import { describe, expect, it } from 'vitest';
import { repoRoot } from './source-files.ts';

describe('the package', () => {
  it('holds the product and nothing else', async () => {
    const files = await listFiles({ cwd: repoRoot, packageManager: PackageManager.None });
    expect(files).toContain('package.json');
    const allowed = [
      /^package(\.nls(\.zh-cn)?)?\.json$/,
      /^(README|README\.zh-CN|CHANGELOG)\.md$/,
      /^LICENSE$/,
      /^l10n\/bundle\.l10n\.zh-cn\.json$/,
      /^dist\/(host|worker)\.cjs$/,
      /^dist\/(webview\.js|webview\.css|codicon\.css|codicon\.ttf|THIRD-PARTY-NOTICES\.txt)$/,
      /^media\/[\w./-]+\.(svg|png|md)$/,
    ];
    expect(files.filter((file) => !allowed.some((pattern) => pattern.test(file)))).toEqual([]);
  });
});
