import { text } from '../../core/index.ts';
import type { ComparedSide, Comparison } from '../../protocol/index.ts';
import { line } from '../labels/words.ts';
import type { Lines } from './lines.ts';
import type { Translate } from './message-text.ts';
import { compactCount } from '../../timeline/index.ts';

/** Names of tools in one line. */
const TOOL_NAMES = 2_000;

/**
 * What is compared and how it differs, instead of each document's own first lines: the same in both, so that the first change
 * the reader goes to from there is one of the messages.
 */
export function addComparison(lines: Lines, compared: Comparison, t: Translate): void {
  const { left, right, same, changed, onlyLeft, onlyRight, first, request } = compared;
  lines
    .add(t(text('Compared: {title}', { title: line(compared.title, 400) })))
    .add(`${t(text('messages: {left} | {right}', { left: left.messages, right: right.messages }))}`);
  if (left.tokens !== undefined || right.tokens !== undefined)
    lines.add(t(text('tokens: {left} | {right}', { left: tokens(left), right: tokens(right) })));
  lines.add(
    t(
      text('on both sides: {same} · changed: {changed} · left only: {onlyLeft} · right only: {onlyRight}', {
        same,
        changed,
        onlyLeft,
        onlyRight,
      }),
    ),
  );
  if (!first) lines.add(t(text('The messages are the same.')));
  else {
    const at = { message: first.message, left: place(first.left), right: place(first.right) };
    lines.add(t(text('first difference: message {message}, {left} | {right}', at)));
  }
  if (request) addRequestChanges(lines, request, t);
  lines.add();
}

function addRequestChanges(lines: Lines, request: NonNullable<Comparison['request']>, t: Translate): void {
  lines.add(t(request.systemChanged ? text('system prompt: changed') : text('system prompt: the same')));
  lines.add(t(request.settingsChanged ? text('settings: changed') : text('settings: the same')));
  const { toolsAdded, toolsRemoved, toolsChanged } = request;
  if (toolsAdded.length + toolsRemoved.length + toolsChanged.length === 0) lines.add(t(text('tools: the same')));
  if (toolsAdded.length > 0) lines.add(t(text('tools added: {names}', { names: names(toolsAdded) })));
  if (toolsRemoved.length > 0) lines.add(t(text('tools removed: {names}', { names: names(toolsRemoved) })));
  if (toolsChanged.length > 0) lines.add(t(text('tools changed: {names}', { names: names(toolsChanged) })));
}

const names = (tools: readonly string[]): string => line(tools.join(', '), TOOL_NAMES);
const tokens = (side: ComparedSide): string => (side.tokens === undefined ? '–' : compactCount(side.tokens));
const place = (seq: number | undefined): string => (seq === undefined ? '–' : `#${seq}`);
