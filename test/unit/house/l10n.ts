import ts from 'typescript';
import type { Problem } from './problem.ts';
import { lineOf, nodesOf, parse, type SourceFile } from './source-files.ts';

/** A template literally written in a call of `text(`, `t(` or `l10n.t(`. */
export interface TemplateUse {
  readonly file: string;
  readonly line: number;
  readonly template: string;
  /** Names of the values handed over, when they are written out in the call. */
  readonly argNames: readonly string[] | undefined;
}

export interface Extraction {
  readonly uses: readonly TemplateUse[];
  readonly problems: readonly Problem[];
}

/** Collects the templates of one product file, and the calls whose template cannot be read off the source. */
export function extractTemplates(source: SourceFile): Extraction {
  const tree = parse(source);
  const uses: TemplateUse[] = [];
  const problems: Problem[] = [];
  for (const node of nodesOf(tree)) {
    if (!ts.isCallExpression(node)) continue;
    const callee = calleeKind(node.expression);
    const first = node.arguments[0];
    if (callee === undefined || first === undefined) continue;
    const line = lineOf(tree, node);
    const templates = literalTemplates(first);
    if (templates !== undefined) {
      const argNames = writtenArgNames(node.arguments[1]);
      for (const template of templates) uses.push({ file: source.file, line, template, argNames });
    } else if (callee === 'text' || (callee === 'l10n.t' && !forwardsText(first))) {
      problems.push({ file: source.file, line, message: `${callee}( wants a literal template` });
    }
  }
  return { uses, problems };
}

function calleeKind(callee: ts.Expression): 'text' | 't' | 'l10n.t' | undefined {
  if (ts.isIdentifier(callee)) return callee.text === 'text' || callee.text === 't' ? callee.text : undefined;
  if (!ts.isPropertyAccessExpression(callee) || callee.name.text !== 't') return undefined;
  const owner = callee.expression;
  const ownerName = ts.isIdentifier(owner) ? owner.text : ts.isPropertyAccessExpression(owner) ? owner.name.text : '';
  return ownerName === 'l10n' ? 'l10n.t' : 't';
}

/** One literal, or the two of a conditional; undefined for anything computed. */
function literalTemplates(node: ts.Expression): string[] | undefined {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isParenthesizedExpression(node)) return literalTemplates(node.expression);
  if (ts.isConditionalExpression(node)) {
    const [yes, no] = [literalTemplates(node.whenTrue), literalTemplates(node.whenFalse)];
    return yes && no ? [...yes, ...no] : undefined;
  }
  return undefined;
}

/** `l10n.t(something.template, …)`: the one place where a ready-made Text is translated. */
const forwardsText = (node: ts.Expression): boolean =>
  ts.isPropertyAccessExpression(node) ? node.name.text === 'template' : ts.isIdentifier(node) && node.text === 'template';

function writtenArgNames(node: ts.Expression | undefined): string[] | undefined {
  if (node === undefined) return [];
  if (!ts.isObjectLiteralExpression(node)) return undefined;
  const names: string[] = [];
  for (const property of node.properties) {
    if (property.name === undefined || !(ts.isIdentifier(property.name) || ts.isStringLiteral(property.name))) return undefined;
    names.push(property.name.text);
  }
  return names;
}

/** Sorted names of the `{name}` places of a template. */
export function placesOf(template: string): string[] {
  return [...new Set([...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!))].sort();
}

/** Everything wrong between the templates in use and one language's bundle. */
export function coverageProblems(
  uses: readonly TemplateUse[],
  bundleFile: string,
  bundle: Readonly<Record<string, unknown>>,
): Problem[] {
  const problems: Problem[] = [];
  const used = new Set<string>();
  for (const { file, line, template, argNames } of uses) {
    const places = placesOf(template);
    if (argNames !== undefined && [...argNames].sort().join() !== places.join()) {
      problems.push({ file, line, message: `“${template}” is given {${argNames.join()}}, its places are {${places.join()}}` });
    }
    if (!Object.hasOwn(bundle, template) && !used.has(template)) {
      problems.push({ file, line, message: `“${template}” has no translation in ${bundleFile}` });
    }
    used.add(template);
  }
  for (const [template, translation] of Object.entries(bundle)) {
    const report = (message: string): number => problems.push({ file: bundleFile, line: 1, message: `“${template}” ${message}` });
    if (!used.has(template)) report('is used nowhere');
    if (typeof translation !== 'string' || translation.trim() === '') report('is not translated');
    else if (placesOf(translation).join() !== placesOf(template).join()) report('has other places than its translation');
  }
  return problems;
}
