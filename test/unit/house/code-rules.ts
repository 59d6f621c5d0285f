import ts from 'typescript';
import type { Problem } from './problem.ts';
import { lineOf, nodesOf, parse, type SourceFile } from './source-files.ts';

/** Past this many lines a file is split by concept (style.md, "Names and comments"). */
export const maxLines = 500;

/** Files that may be longer, each with its reason. */
export const longFiles: Readonly<Record<string, string>> = {};

export function sizeProblems(files: readonly SourceFile[], exceptions: Readonly<Record<string, string>>): Problem[] {
  const problems: Problem[] = [];
  const stale = new Set(Object.keys(exceptions));
  for (const { file, content } of files) {
    const lines = content.split('\n').length - (content.endsWith('\n') ? 1 : 0);
    if (lines <= maxLines) continue;
    stale.delete(file);
    if (!exceptions[file]) problems.push({ file, line: maxLines + 1, message: `has ${lines} lines, more than ${maxLines}` });
  }
  for (const file of stale) problems.push({ file, line: 1, message: 'is listed as a long file but is not one' });
  return problems;
}

/**
 * Waiting for a while instead of for a signal: the timers' promises, Playwright's `waitForTimeout`, functions called sleep
 * or delay, and a promise that a timer resolves. A timer that rejects is a deadline and stays allowed.
 */
export function sleepProblems(source: SourceFile): Problem[] {
  const tree = parse(source);
  const problems: Problem[] = [];
  for (const node of nodesOf(tree)) {
    if (isSleep(node)) problems.push({ file: source.file, line: lineOf(tree, node), message: 'sleeps; wait for a signal' });
  }
  return problems;
}

function isSleep(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    return /^(node:)?timers\/promises$/.test(node.moduleSpecifier.text);
  }
  if (!ts.isCallExpression(node)) return false;
  const callee = node.expression;
  const name = ts.isIdentifier(callee) ? callee.text : ts.isPropertyAccessExpression(callee) ? callee.name.text : '';
  if (/^(sleep|delay|waitForTimeout)$/.test(name)) return true;
  if (name === 'wait' && ts.isPropertyAccessExpression(callee)) return callee.expression.getText() === 'Atomics';
  return name === 'setTimeout' && node.arguments[0] !== undefined && resolvesAPromise(node, node.arguments[0]);
}

function resolvesAPromise(timer: ts.CallExpression, callback: ts.Expression): boolean {
  const resolve = enclosingResolve(timer);
  if (resolve === undefined) return false;
  if (ts.isIdentifier(callback)) return callback.text === resolve;
  if (!ts.isArrowFunction(callback) && !ts.isFunctionExpression(callback)) return false;
  return ts.isCallExpression(callback.body) && ts.isIdentifier(callback.body.expression)
    ? callback.body.expression.text === resolve
    : ts.isBlock(callback.body) && callback.body.statements.some((statement) => callsName(statement, resolve));
}

const callsName = (statement: ts.Statement, name: string): boolean =>
  ts.isExpressionStatement(statement) &&
  ts.isCallExpression(statement.expression) &&
  ts.isIdentifier(statement.expression.expression) &&
  statement.expression.expression.text === name;

/** What the executor of the nearest `new Promise(…)` around a node calls its first parameter. */
function enclosingResolve(node: ts.Node): string | undefined {
  for (let at: ts.Node | undefined = node.parent; at !== undefined; at = at.parent) {
    if (!ts.isNewExpression(at) || !ts.isIdentifier(at.expression) || at.expression.text !== 'Promise') continue;
    const executor = at.arguments?.[0];
    if (executor === undefined || (!ts.isArrowFunction(executor) && !ts.isFunctionExpression(executor))) return undefined;
    const first = executor.parameters[0]?.name;
    return first && ts.isIdentifier(first) ? first.text : undefined;
  }
  return undefined;
}

/** `TODO`, `FIXME`, `XXX` in comments, and empty catch blocks: work that looks finished and is not. */
export function unfinishedProblems(source: SourceFile): Problem[] {
  const tree = parse(source);
  const problems: Problem[] = [];
  source.content.split('\n').forEach((text, index) => {
    const mark = /(?:\/\/|\/\*|^\s*\*).*\b(TODO|FIXME|XXX)\b/.exec(text);
    if (mark) problems.push({ file: source.file, line: index + 1, message: `${mark[1]} in a comment` });
  });
  for (const node of nodesOf(tree)) {
    if (ts.isCatchClause(node) && node.block.statements.length === 0) {
      problems.push({ file: source.file, line: lineOf(tree, node), message: 'swallows an error' });
    }
  }
  return problems;
}
