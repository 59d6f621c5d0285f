import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repoRoot } from './source-files.ts';

interface Command {
  readonly command: string;
  readonly title?: string;
  readonly icon?: unknown;
}
interface Manifest {
  readonly name: string;
  readonly displayName: string;
  readonly version: string;
  readonly publisher: string;
  readonly license: string;
  readonly repository: { readonly url: string };
  readonly engines: { readonly vscode: string };
  readonly extensionKind: readonly string[];
  readonly capabilities: { readonly untrustedWorkspaces: { readonly supported: boolean } };
  readonly main: string;
  readonly l10n: string;
  readonly activationEvents: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly contributes: {
    readonly commands?: readonly Command[];
    readonly menus?: Readonly<
      Record<string, readonly { readonly command?: string; readonly submenu?: string; readonly when?: string }[]>
    >;
    readonly keybindings?: readonly { readonly command: string }[];
    readonly views?: Readonly<Record<string, readonly { readonly id: string }[]>>;
    readonly customEditors?: readonly {
      readonly viewType: string;
      readonly priority: string;
      readonly selector: readonly { readonly filenamePattern: string }[];
    }[];
    readonly configuration?: { readonly properties: Readonly<Record<string, { readonly scope?: string }>> };
  };
}

const read = (file: string): unknown => JSON.parse(readFileSync(path.join(repoRoot, file), 'utf8'));
const manifest = read('package.json') as Manifest;
const { contributes } = manifest;

describe('the manifest', () => {
  it('says who we are', () => {
    expect(manifest).toMatchObject({
      name: 'dsh-session-timeline',
      displayName: 'DSH Session Timeline',
      publisher: 'dsh-session-timeline',
      license: 'MIT',
      main: './dist/host.cjs',
      l10n: './l10n',
      extensionKind: ['workspace'],
    });
    expect(manifest.repository.url).toMatch(/^https:\/\/github\.com\/dsh-session-timeline\/dsh-session-timeline(\.git)?$/);
  });

  it('works in an untrusted workspace, which cannot redirect the root', () => {
    expect(manifest.capabilities.untrustedWorkspaces.supported).toBe(true);
    const settings = Object.entries(contributes.configuration?.properties ?? {});
    expect(settings.map(([name]) => name)).toContain('dshTimeline.sessionsRoot');
    for (const [name, setting] of settings) {
      expect(name).toMatch(/^dshTimeline\.[a-z]\w*$/);
      if (name === 'dshTimeline.sessionsRoot') expect(setting.scope).toBe('machine');
    }
  });

  it('compiles against the oldest editor it promises to run in', () => {
    expect(manifest.engines.vscode).toBe(`^${manifest.devDependencies['@types/vscode']}`);
  });

  it('pins every dependency, ships none and names none of one platform', () => {
    expect(manifest.dependencies ?? {}).toEqual({});
    for (const [name, version] of Object.entries(manifest.devDependencies)) {
      expect(version, name).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
      expect(name).not.toMatch(/(linux|darwin|win32)-(x64|arm64)/);
    }
  });

  it('agrees with the lock file', () => {
    const lock = read('package-lock.json') as { packages: Record<string, { version: string; devDependencies: unknown }> };
    expect(lock.packages['']).toMatchObject({ version: manifest.version, devDependencies: manifest.devDependencies });
  });

  it('has a lock file that npm ci accepts: it holds every package that another one names, optional ones too', () => {
    interface Locked {
      readonly dependencies?: Readonly<Record<string, string>>;
      readonly optionalDependencies?: Readonly<Record<string, string>>;
    }
    const { packages } = read('package-lock.json') as { packages: Readonly<Record<string, Locked>> };
    const locked = new Set(Object.keys(packages).map((folder) => folder.replace(/^.*node_modules\//, '')));
    const named = Object.values(packages).flatMap((p) => Object.keys({ ...p.dependencies, ...p.optionalDependencies }));
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !locked.has(name))).toEqual([]);
  });

  it('starts only when asked for', () => {
    for (const event of manifest.activationEvents) expect(event).not.toMatch(/^(\*|onStartupFinished)$/);
    expect(manifest.activationEvents).toContain('onFileSystem:dsh-session');
  });
});

describe('contributions', () => {
  const commands = new Set((contributes.commands ?? []).map((c) => c.command));

  it('carry our prefix', () => {
    expect(commands.size).toBeGreaterThan(0);
    const views = Object.values(contributes.views ?? {}).flat();
    for (const id of [...commands, ...views.map((v) => v.id), ...(contributes.customEditors ?? []).map((e) => e.viewType)]) {
      expect(id).toMatch(/^dshTimeline\.[a-z]\w*$/);
    }
  });

  it('name only commands that exist', () => {
    const named = [...Object.values(contributes.menus ?? {}).flat(), ...(contributes.keybindings ?? [])];
    for (const { command } of named) if (command !== undefined) expect(commands).toContain(command);
  });

  it('put what belongs to every place of a session into the menus of tree and timeline alike', () => {
    const inMenu = (menu: string, command: string): string[] =>
      (contributes.menus?.[menu] ?? [])
        .filter((entry) => entry.command === `dshTimeline.${command}`)
        .map(({ when = '' }) => when);
    for (const command of [
      'forkHere',
      'replayHere',
      'showHistory',
      'selectForCompare',
      'copySessionId',
      'revealFile',
      'export',
    ]) {
      const [tree = '', view = ''] = [inMenu('view/item/context', command)[0], inMenu('webview/context', command)[0]];
      for (const place of ['turn', 'step', 'call']) {
        expect([command, tree]).toEqual([command, expect.stringMatching(new RegExp(`viewItem =~ .*\\b${place}\\b`))]);
        expect([command, view]).toEqual([command, expect.stringMatching(new RegExp(`webviewSection =~ .*\\b${place}\\b`))]);
      }
    }
  });

  it('take compressed logs by default and offer themselves for raw ones, whose name belongs to others too', () => {
    const byPriority = Object.fromEntries(
      (contributes.customEditors ?? []).map((e) => [e.priority, e.selector.map((s) => s.filenamePattern).join(' ')]),
    );
    expect(byPriority['default']).toMatch(/\.jsonl\.zstd$/);
    expect(byPriority['option']).toMatch(/\.jsonl$/);
  });

  it('point at files that exist', () => {
    const files = [...JSON.stringify(contributes).matchAll(/"(?:\.\/)?(media\/[^"]+)"/g)].map((match) => match[1]!);
    for (const file of files) expect(existsSync(path.join(repoRoot, file)), file).toBe(true);
  });
});
