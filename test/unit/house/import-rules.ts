import path from 'node:path';
import ts from 'typescript';
import type { Problem } from './problem.ts';
import { lineOf, nodesOf, parse, type SourceFile } from './source-files.ts';

/** The table of design.md §2: what a layer may import besides itself. `types` allows `import type` only. */
interface LayerRule {
  readonly layers: Readonly<Record<string, 'all' | 'types'>>;
  /** Package names, `node:` for the built-in modules, `vscode`. */
  readonly packages: readonly string[];
  readonly forbiddenGlobals: ReadonlySet<string>;
}

const nodeGlobals = [
  'process',
  'Buffer',
  'global',
  'require',
  'module',
  '__dirname',
  '__filename',
  'setImmediate',
  'clearImmediate',
];
const domGlobals = [
  'window',
  'document',
  'navigator',
  'localStorage',
  'sessionStorage',
  'location',
  'HTMLElement',
  'customElements',
];
const editorGlobals = ['acquireVsCodeApi'];
const pureGlobals = new Set([...nodeGlobals, ...domGlobals, ...editorGlobals]);
const nodeSideGlobals = new Set([...domGlobals, ...editorGlobals]);

const layerRules: Readonly<Record<string, LayerRule>> = {
  core: { layers: {}, packages: [], forbiddenGlobals: pureGlobals },
  storage: { layers: { core: 'all' }, packages: ['node:', 'fzstd', 'xxhash-wasm'], forbiddenGlobals: nodeSideGlobals },
  timeline: { layers: { core: 'all' }, packages: [], forbiddenGlobals: pureGlobals },
  protocol: { layers: { core: 'all', timeline: 'types' }, packages: [], forbiddenGlobals: pureGlobals },
  worker: {
    layers: { core: 'all', storage: 'all', timeline: 'all', protocol: 'all' },
    packages: ['node:'],
    forbiddenGlobals: nodeSideGlobals,
  },
  host: {
    layers: { core: 'all', timeline: 'all', protocol: 'all' },
    packages: ['node:', 'vscode'],
    forbiddenGlobals: nodeSideGlobals,
  },
  webview: {
    layers: { core: 'all', timeline: 'all', protocol: 'all' },
    packages: ['lit'],
    forbiddenGlobals: new Set(nodeGlobals),
  },
};

interface Reference {
  readonly node: ts.Node;
  /** Undefined when it is computed, so that no rule could be checked. */
  readonly specifier: string | undefined;
  readonly typeOnly: boolean;
  readonly reExport: boolean;
}

/** The layer of a file of this repository (`src/<layer>/…` or `webview/…`), or undefined outside of them. */
function layerOf(file: string): string | undefined {
  const [first, second, ...rest] = file.split('/');
  if (first === 'webview') return 'webview';
  return first === 'src' && second !== undefined && rest.length > 0 ? second : undefined;
}

/** Every broken import rule of one product file. */
export function importProblems(source: SourceFile): Problem[] {
  const tree = parse(source);
  const layer = layerOf(source.file);
  const rule = layer === undefined ? undefined : layerRules[layer];
  const report = (node: ts.Node, message: string): Problem => ({ file: source.file, line: lineOf(tree, node), message });
  if (layer === undefined || rule === undefined) {
    return source.file.endsWith('.d.ts') ? [] : [report(tree, `is in no layer of ${Object.keys(layerRules).join(', ')}`)];
  }
  const problems: Problem[] = [];
  for (const reference of references(tree)) {
    const message = referenceProblem(source.file, layer, rule, reference);
    if (message !== undefined) problems.push(report(reference.node, message));
  }
  for (const node of nodesOf(tree)) {
    if (isDefaultExport(node)) problems.push(report(node, 'default export; export it by name'));
  }
  for (const node of globalUses(tree, rule.forbiddenGlobals)) {
    problems.push(report(node, `${layer} may not use the global ${node.text}`));
  }
  return problems.sort((a, b) => a.line - b.line);
}

function referenceProblem(file: string, layer: string, rule: LayerRule, reference: Reference): string | undefined {
  const { specifier } = reference;
  if (specifier === undefined) return 'computed import; the rules can only be checked for a literal one';
  if (reference.reExport && !isLayerIndex(file)) return `re-exports ${specifier}; only a layer's index.ts may`;
  if (!specifier.startsWith('.')) {
    const allowed = rule.packages.some((name) =>
      name.endsWith(':') ? specifier.startsWith(name) : specifier === name || specifier.startsWith(`${name}/`),
    );
    return allowed ? undefined : `${layer} may not import ${specifier}`;
  }
  const target = path.posix.join(path.posix.dirname(file), specifier);
  if (!/\.(ts|json|css)$/.test(specifier)) return `${specifier}: relative imports carry their extension`;
  const targetLayer = layerOf(target);
  if (targetLayer === layer) return undefined;
  if (targetLayer === undefined) return `${specifier} leads out of the layers`;
  const permission = rule.layers[targetLayer];
  if (permission === undefined) return `${layer} may not import ${targetLayer}`;
  return permission === 'types' && !reference.typeOnly ? `${layer} may import only types of ${targetLayer}` : undefined;
}

const isLayerIndex = (file: string): boolean => /^(src\/[^/]+|webview)\/index\.ts$/.test(file);

function* references(tree: ts.SourceFile): Iterable<Reference> {
  for (const reference of [...tree.referencedFiles, ...tree.typeReferenceDirectives]) {
    yield { node: tree, specifier: reference.fileName, typeOnly: true, reExport: false };
  }
  for (const node of nodesOf(tree)) {
    if (ts.isImportDeclaration(node)) {
      yield { node, specifier: literal(node.moduleSpecifier), typeOnly: importsTypesOnly(node.importClause), reExport: false };
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
      yield { node, specifier: literal(node.moduleSpecifier), typeOnly: node.isTypeOnly, reExport: true };
    } else if (ts.isImportTypeNode(node)) {
      const argument = ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
      yield { node, specifier: argument && literal(argument), typeOnly: true, reExport: false };
    } else if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference)) {
      yield { node, specifier: literal(node.moduleReference.expression), typeOnly: node.isTypeOnly, reExport: false };
    } else if (ts.isCallExpression(node) && isLoader(node.expression)) {
      yield { node, specifier: literal(node.arguments[0]), typeOnly: false, reExport: false };
    } else if (ts.isNewExpression(node) && isModuleUrl(node)) {
      yield { node, specifier: literal(node.arguments?.[0]), typeOnly: false, reExport: false };
    }
  }
}

function literal(node: ts.Node | undefined): string | undefined {
  return node && ts.isStringLiteralLike(node) ? node.text : undefined;
}

function importsTypesOnly(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  if (clause.isTypeOnly) return true;
  const bindings = clause.namedBindings;
  return (
    clause.name === undefined &&
    bindings !== undefined &&
    ts.isNamedImports(bindings) &&
    bindings.elements.every((e) => e.isTypeOnly)
  );
}

/** `import(…)`, `require(…)`, `require.resolve(…)`, `import.meta.resolve(…)`. */
function isLoader(callee: ts.Expression): boolean {
  if (callee.kind === ts.SyntaxKind.ImportKeyword) return true;
  if (ts.isIdentifier(callee)) return callee.text === 'require';
  if (!ts.isPropertyAccessExpression(callee) || callee.name.text !== 'resolve') return false;
  return ts.isMetaProperty(callee.expression) || (ts.isIdentifier(callee.expression) && callee.expression.text === 'require');
}

/** `new URL('./x', import.meta.url)` reaches a file as surely as an import does. */
function isModuleUrl(node: ts.NewExpression): boolean {
  if (!ts.isIdentifier(node.expression) || node.expression.text !== 'URL') return false;
  const base = node.arguments?.[1];
  return base !== undefined && ts.isPropertyAccessExpression(base) && ts.isMetaProperty(base.expression);
}

function isDefaultExport(node: ts.Node): boolean {
  if (ts.isExportAssignment(node)) return true;
  if (ts.isExportSpecifier(node)) return node.name.text === 'default';
  return ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some((m) => m.kind === ts.SyntaxKind.DefaultKeyword);
}

/**
 * Uses of a forbidden global. A name that the file declares itself, anywhere, is taken to be its own: a time window may be
 * called `window`, and the compiler settings of the pure layers know no real one.
 */
function globalUses(tree: ts.SourceFile, forbidden: ReadonlySet<string>): ts.Identifier[] {
  const uses: ts.Identifier[] = [];
  const declared = new Set<string>();
  for (const node of nodesOf(tree)) {
    if (!ts.isIdentifier(node) || !forbidden.has(node.text)) continue;
    if (isDeclarationName(node)) declared.add(node.text);
    else if (!isMemberName(node)) uses.push(node);
  }
  return uses.filter((use) => !declared.has(use.text));
}

function isDeclarationName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isImportSpecifier(parent) || ts.isImportClause(parent) || ts.isNamespaceImport(parent)) return parent.name === node;
  const declares =
    ts.isVariableDeclaration(parent) ||
    ts.isParameter(parent) ||
    ts.isBindingElement(parent) ||
    ts.isFunctionDeclaration(parent) ||
    ts.isClassDeclaration(parent) ||
    ts.isInterfaceDeclaration(parent) ||
    ts.isTypeAliasDeclaration(parent);
  return declares && parent.name === node;
}

function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) || ts.isQualifiedName(parent)) {
    const own = ts.isPropertyAccessExpression(parent) ? parent.name : parent.right;
    const root = ts.isPropertyAccessExpression(parent) ? parent.expression : parent.left;
    return own === node && !(ts.isIdentifier(root) && root.text === 'globalThis');
  }
  if (ts.isBindingElement(parent)) return parent.propertyName === node;
  const named =
    ts.isPropertyAssignment(parent) ||
    ts.isPropertySignature(parent) ||
    ts.isPropertyDeclaration(parent) ||
    ts.isMethodDeclaration(parent) ||
    ts.isMethodSignature(parent) ||
    ts.isGetAccessor(parent) ||
    ts.isSetAccessor(parent) ||
    ts.isNamedTupleMember(parent) ||
    ts.isImportSpecifier(parent) ||
    ts.isExportSpecifier(parent);
  return named && (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent) || parent.name === node);
}
