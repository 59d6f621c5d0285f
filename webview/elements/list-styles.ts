import { css } from 'lit';

export const listStyles = css`
  :host {
    display: block;
    position: relative;
    overflow: hidden;
    container: list / inline-size;
    --row: 24px;
    --blue: var(--vscode-charts-blue);
    /* Some themes describe in their full foreground; what steps back has to look it in each of them. */
    --pale: color-mix(in srgb, var(--vscode-foreground) 74%, transparent);
  }
  .scroller {
    position: absolute;
    inset: 0;
    overflow: hidden auto;
    outline: none;
    contain: strict;
  }
  .spacer {
    position: relative;
    min-height: 1px;
  }
  .row {
    --title: 11.5em;
    --indent: 14px;
    --time: 8.5ch;
    --duration: 9.5ch; /* "23 h 59 min" */
    --bar: 84px;
    --state: calc(11.5ch + var(--seq-width));
    display: grid;
    grid-template:
      'seq time words duration bar state' 100%
      / var(--seq-width) var(--time) minmax(0, 1fr) var(--duration) var(--bar) var(--state);
    align-items: center;
    column-gap: 8px;
    height: var(--row);
    line-height: calc(var(--row) - 1px); /* less the border: no cell reaches into the row above */
    padding: 0 12px 0 10px;
    white-space: nowrap;
    cursor: pointer;
    border-bottom: 1px solid color-mix(in srgb, var(--vscode-foreground) 5%, transparent);
  }
  .spacer .row {
    position: absolute;
    inset: 0 0 auto 0;
    contain: layout style;
  }
  .sticky {
    position: absolute;
    inset: 0 var(--scrollbar, 0) auto 0;
    z-index: 2;
    background: var(--vscode-editorStickyScroll-background, var(--vscode-editor-background));
    box-shadow: 0 3px 4px -3px var(--vscode-editorStickyScroll-shadow, var(--vscode-scrollbar-shadow));
  }
  .seq {
    grid-area: seq;
  }
  .time {
    grid-area: time;
  }
  .duration {
    grid-area: duration;
  }
  .seq,
  .time,
  .duration {
    color: var(--vscode-descriptionForeground);
    font-size: 0.95em;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .duration {
    text-align: right;
  }
  .words {
    grid-area: words;
    display: flex;
    align-items: center;
    gap: 8px;
    min-width: 0;
    overflow: hidden;
    padding-left: calc(var(--level) * var(--indent));
  }
  .instant .words {
    grid-column: words / bar; /* no duration and no bar: the words have their room */
  }
  .instant :is(.duration, .bar) {
    display: none;
  }
  /* Turns and steps have no state but a failure: it shares a column with their bar, and their words get the room. */
  :is(.turn, .step) {
    grid-template:
      'seq time words duration state' 100%
      / var(--seq-width) var(--time) minmax(0, 1fr) var(--duration) calc(var(--bar) + 7.5ch);
  }
  :is(.turn, .step).instant .words {
    grid-column: words / duration;
  }
  :is(.turn, .step) .bar {
    grid-area: state;
    width: var(--bar);
  }
  /* What the playhead has not come to: paler, and still to be read. */
  .ahead :is(.title, .detail, .note, .time, .seq, .state) {
    color: var(--vscode-descriptionForeground);
    font-weight: 400;
    font-style: italic;
  }
  .ahead .bar {
    opacity: 0.35;
  }
  .twisty {
    flex: none;
    width: 16px;
    margin-right: -6px;
    line-height: 16px;
    text-align: center;
  }
  .title {
    /* Details start at one line whatever the level; behind the few names that are longer, a little later. */
    --column: calc(var(--title) - var(--level) * var(--indent));
    flex: none;
    min-width: var(--column);
    max-width: calc(var(--column) + 4.5em);
    font-weight: 600;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .title.alone {
    flex: 0 1 auto; /* nothing stands behind it that would have to line up */
    max-width: none;
  }
  .rest {
    flex: 1 1 0;
    display: flex;
    align-items: center;
    gap: 8px;
    min-width: 0;
    height: var(--row);
    overflow: hidden;
  }
  .detail {
    flex: 0 100000 auto; /* gives way whole before the note gives way at all */
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    unicode-bidi: plaintext;
  }
  .note {
    flex: 0 1 auto;
    max-width: 65%;
    display: inline-flex;
    align-items: center;
    gap: 3px;
    min-width: 0;
    color: var(--vscode-descriptionForeground);
    font-size: 0.92em;
  }
  .note > span:last-child {
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .note .icon {
    font-size: 14px;
    width: 14px;
  }
  :is(.bad, .failed) .note {
    max-width: 75%;
  }
  .brief .detail {
    flex-shrink: 0;
    max-width: 100%;
  }
  .row .brief .note {
    max-width: none;
  }
  :is(.bad, .failed) .note:not(.size) {
    color: color-mix(in srgb, var(--vscode-editorError-foreground) 75%, var(--vscode-foreground));
  }
  .bar {
    grid-area: bar;
    display: flex;
    align-items: center;
    height: 100%;
  }
  .bar i {
    display: block;
    height: 7px;
    border-radius: 2px;
    background: var(--tone);
    outline: 1px solid var(--vscode-contrastBorder, transparent);
    outline-offset: -1px;
  }
  .state {
    grid-area: state;
    display: flex;
    align-items: center;
    justify-content: flex-end;
    gap: 4px;
    min-width: 0;
    font-size: 0.92em;
    color: var(--vscode-descriptionForeground);
  }
  .state > .unseen {
    margin-left: -4px; /* takes no room, and no gap either */
  }
  .state-text {
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .outcome {
    display: inline-flex;
    align-items: center;
    gap: 3px;
    min-width: 0;
    color: color-mix(in srgb, var(--vscode-editorError-foreground) 75%, var(--vscode-foreground));
  }
  .outcome > :not(.icon) {
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .outcome .icon {
    font-size: 14px;
    width: 14px;
  }
  .fork {
    color: var(--vscode-charts-green);
    line-height: 16px;
  }
  .fork .icon {
    font-size: 13px;
    width: 13px;
  }
  /* Text in a chart's colour is mixed with the foreground until it reads well. */
  .state.current .state-text {
    color: color-mix(in srgb, var(--vscode-charts-green) 75%, var(--vscode-foreground));
  }
  .state.replaces .state-text {
    color: color-mix(in srgb, var(--vscode-charts-purple) 75%, var(--vscode-foreground));
  }
  .state.uncertain .state-text {
    color: color-mix(in srgb, var(--vscode-editorWarning-foreground) 60%, var(--vscode-foreground));
  }

  .turn {
    background: color-mix(in srgb, var(--vscode-foreground) 6%, var(--vscode-editor-background));
  }
  .step .title,
  .entry .title {
    font-weight: 600;
  }
  .step {
    color: var(--vscode-foreground);
  }
  .entry .title {
    font-weight: 500;
  }
  .human {
    box-shadow: inset 3px 0 0 var(--blue);
  }
  .human .title,
  .human .detail {
    font-weight: 600;
  }
  .row.bad .title {
    color: color-mix(in srgb, var(--vscode-editorError-foreground) 75%, var(--vscode-foreground));
  }
  .dim .title,
  .dim .detail {
    color: var(--pale);
    font-weight: 400;
  }
  .shadowed:not(.human) .detail,
  .shadowed:not(.human, .bad) .title {
    color: var(--pale);
  }
  .row.fold .title {
    color: color-mix(in srgb, var(--vscode-charts-purple) 75%, var(--vscode-foreground));
    font-weight: 600;
  }
  .inherited .seq {
    font-style: italic;
  }
  .row:hover,
  .row.hovered {
    background-color: var(--vscode-list-hoverBackground);
  }
  /* Read out, and without width. Inline, because anything else would put a space before a comma. */
  .unseen {
    font-size: 0;
    line-height: 0;
  }
  .seq.found {
    justify-self: start;
  }
  .row.selected mark {
    color: inherit;
  }
  .row:not(.selected) mark,
  .seq.found {
    color: var(--vscode-foreground);
  }
  .row mark,
  .seq.found {
    background: var(--vscode-editor-findMatchHighlightBackground);
    outline: 1px solid var(--vscode-editor-findMatchHighlightBorder, transparent);
    outline-offset: -1px;
  }
  .row.selected,
  .row.selected:hover {
    background: var(--vscode-list-inactiveSelectionBackground);
    color: var(--vscode-list-inactiveSelectionForeground, var(--vscode-foreground));
    outline: 1px dashed var(--vscode-contrastActiveBorder, transparent);
    outline-offset: -1px;
  }
  .scroller:focus .row.selected,
  .scroller:focus .row.selected:hover {
    background: var(--vscode-list-activeSelectionBackground);
    color: var(--vscode-list-activeSelectionForeground);
    outline: 1px solid var(--vscode-list-focusAndSelectionOutline, var(--vscode-list-focusOutline, var(--vscode-focusBorder)));
  }
  /* The theme promises contrast on a selection only for the selection's own foreground. */
  .row.row.selected :is(.seq, .time, .duration, .state, .state-text, .outcome, .note, .title, .detail, .fork) {
    color: inherit;
  }

  .tone-turn {
    --tone: var(--vscode-button-background, var(--blue));
  }
  .tone-step {
    --tone: color-mix(in srgb, var(--vscode-foreground) 40%, transparent);
  }
  .tone-model {
    --tone: var(--blue);
  }
  .tone-read {
    --tone: var(--vscode-terminal-ansiCyan);
  }
  .tone-write,
  .tone-replace {
    --tone: var(--vscode-charts-purple);
  }
  .tone-run {
    --tone: var(--vscode-symbolIcon-classForeground, var(--vscode-charts-orange));
  }
  .tone-agent {
    --tone: var(--vscode-charts-green);
  }
  .tone-other {
    --tone: color-mix(in srgb, var(--vscode-foreground) 45%, transparent);
  }
  .tone-error {
    --tone: var(--vscode-charts-red);
  }

  .waiting,
  .skeleton i {
    display: inline-block;
    width: 180px;
    max-width: 60%;
    height: 8px;
    border-radius: 4px;
    background: color-mix(in srgb, var(--vscode-foreground) 9%, transparent);
  }
  .skeleton {
    position: absolute;
    inset: 0;
    padding: 8px 12px;
    display: flex;
    flex-direction: column;
    gap: 16px;
    pointer-events: none;
  }
  .skeleton i:nth-child(3n) {
    width: 340px;
  }
  .skeleton i:nth-child(2n) {
    margin-left: 28px;
    width: 260px;
  }
`;
