import { css } from 'lit';

export const inspectorStyles = css`
  :host {
    display: flex;
    flex-direction: column;
    min-height: 0;
    overflow: hidden;
    --code-background: var(--vscode-textCodeBlock-background, color-mix(in srgb, var(--vscode-foreground) 7%, transparent));
  }
  header {
    flex: none;
    padding: 10px 14px 0;
  }
  .top {
    display: flex;
    align-items: flex-start;
    gap: 6px;
  }
  h2 {
    flex: 1;
    min-width: 0;
    font-size: 1.08em;
    font-weight: 600;
    line-height: 20px;
    margin: 0;
    overflow-wrap: anywhere;
  }
  .top-note {
    color: var(--vscode-descriptionForeground);
    font-weight: 400;
  }
  .top-note.bad {
    color: color-mix(in srgb, var(--vscode-editorError-foreground) 85%, var(--vscode-foreground));
  }
  .facts-line {
    margin: 2px 0 0;
    line-height: 18px;
    color: var(--vscode-descriptionForeground);
    overflow-wrap: anywhere;
  }
  .square {
    padding: 2px;
    line-height: 16px;
  }
  [role='tablist'] {
    display: flex;
    flex-wrap: wrap;
    gap: 0 6px;
    margin-top: 8px;
    border-bottom: 1px solid var(--dsh-line);
  }
  [role='tab'] {
    border: 0;
    border-radius: 0;
    padding: 4px 4px 5px;
    color: var(--vscode-panelTitle-inactiveForeground, var(--vscode-descriptionForeground));
    border-bottom: 1px solid transparent;
    margin-bottom: -1px;
  }
  [role='tab']:first-child {
    margin-left: -4px;
  }
  [role='tab']:hover {
    background: none;
    color: var(--vscode-panelTitle-activeForeground, var(--vscode-foreground));
  }
  [role='tab'][aria-selected='true'] {
    color: var(--vscode-panelTitle-activeForeground, var(--vscode-foreground));
    border-bottom-color: var(--vscode-panelTitle-activeBorder, var(--vscode-focusBorder));
    /* In high contrast the line below the tabs has the colour of the active tab's own. */
    box-shadow: inset 0 0 0 1px var(--vscode-contrastActiveBorder, transparent);
  }
  .panel {
    flex: 1 1 0;
    min-height: 0;
    overflow: auto;
    padding: 4px 14px 18px;
    overflow-wrap: anywhere;
  }
  .panel.stale {
    opacity: 0.65;
  }
  section {
    margin-top: 12px;
  }
  h3 {
    display: flex;
    align-items: center;
    justify-content: space-between;
    gap: 8px;
    min-height: 20px;
    margin: 0 0 4px;
    font-size: 0.88em;
    font-weight: 600;
    letter-spacing: 0.03em;
    color: var(--vscode-descriptionForeground);
  }
  .copy {
    padding: 1px;
    line-height: 16px;
    opacity: 0;
  }
  section:hover .copy,
  .copy:focus-visible {
    opacity: 1;
  }
  .dim {
    color: var(--vscode-descriptionForeground);
  }
  p {
    margin: 0 0 6px;
    line-height: 1.5;
  }
  pre,
  code,
  .path {
    font-family: var(--vscode-editor-font-family, monospace);
    font-size: var(--vscode-editor-font-size, 12px);
  }
  pre {
    margin: 0 0 4px;
    padding: 8px 10px;
    line-height: 1.45;
    max-height: 420px;
    overflow: auto;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    color: var(--vscode-editor-foreground);
    background: var(--code-background);
    border: 1px solid var(--vscode-contrastBorder, transparent);
    border-radius: 4px;
    tab-size: 4;
  }
  pre.bad {
    border-left: 3px solid var(--vscode-editorError-foreground);
  }
  pre.raw {
    max-height: none;
  }
  .plain {
    white-space: pre-wrap;
    line-height: 1.5;
  }
  .path {
    margin-bottom: 4px;
  }
  .markdown code {
    padding: 0 3px;
    border-radius: 3px;
    color: var(--vscode-textPreformat-foreground);
    background: var(--vscode-textPreformat-background, var(--code-background));
  }
  .markdown p {
    white-space: pre-line;
  }
  .heading {
    font-weight: 600;
    margin-top: 10px;
  }
  .level-1 {
    font-size: 1.15em;
  }
  .level-2 {
    font-size: 1.06em;
  }
  blockquote {
    margin: 0 0 6px;
    padding: 2px 10px;
    border-left: 3px solid var(--vscode-textBlockQuote-border, var(--dsh-line));
    white-space: pre-line;
  }
  ul {
    list-style: none;
    margin: 0 0 6px;
    padding: 0;
  }
  .items li {
    display: flex;
    gap: 6px;
    line-height: 1.5;
    padding-left: calc(var(--depth) * 16px);
  }
  .marker {
    flex: none;
    min-width: 12px;
    color: var(--vscode-descriptionForeground);
  }
  .wide {
    overflow-x: auto;
    margin-bottom: 6px;
  }
  table {
    border-collapse: collapse;
  }
  th,
  td {
    text-align: start;
    padding: 2px 8px;
    border: 1px solid var(--dsh-line);
  }
  hr {
    border: 0;
    border-top: 1px solid var(--dsh-line);
  }
  .target {
    text-decoration: underline;
  }
  dl {
    display: grid;
    grid-template-columns: minmax(90px, max-content) minmax(0, 1fr);
    gap: 3px 14px;
    margin: 0;
    line-height: 18px;
  }
  dt {
    color: var(--vscode-descriptionForeground);
  }
  dd {
    margin: 0;
    white-space: pre-line;
    font-variant-numeric: tabular-nums;
  }
  dd .link {
    /* an id without a space in it */
    white-space: normal;
    overflow-wrap: anywhere;
  }
  .checks li,
  .refs li {
    display: flex;
    align-items: baseline;
    gap: 8px;
    line-height: 20px;
  }
  .checks .icon {
    margin-top: 2px;
  }
  .completed {
    color: var(--vscode-descriptionForeground);
  }
  .completed .icon {
    color: var(--vscode-charts-green);
  }
  .in_progress .icon {
    color: var(--vscode-charts-blue);
  }
  .refs .link {
    flex: none;
  }
  figure {
    display: flex;
    flex-direction: column;
    gap: 10px;
    margin: 0;
    padding: 10px;
    border: 1px dashed var(--dsh-line);
    border-radius: 4px;
  }
  .note {
    display: flex;
    gap: 8px;
    line-height: 18px;
  }
  .note.warning .icon {
    color: var(--vscode-editorWarning-foreground);
  }
  .note.error .icon {
    color: var(--vscode-editorError-foreground);
  }
  .note.info .icon {
    color: var(--vscode-editorInfo-foreground);
  }
  summary {
    cursor: pointer;
    line-height: 20px;
    color: var(--vscode-descriptionForeground);
  }
  summary .number {
    margin-left: 8px;
  }
  details[open] summary {
    margin-bottom: 6px;
  }
  .lines {
    padding: 4px 0;
  }
  .line {
    display: block;
    padding: 0 10px 0 24px;
    text-indent: -14px;
  }
  .sign {
    display: inline-block;
    width: 14px;
    text-indent: 0;
  }
  .added {
    background: var(--vscode-diffEditor-insertedLineBackground, color-mix(in srgb, var(--vscode-charts-green) 18%, transparent));
  }
  .removed {
    background: var(--vscode-diffEditor-removedLineBackground, color-mix(in srgb, var(--vscode-charts-red) 18%, transparent));
  }
  .gap {
    color: var(--vscode-descriptionForeground);
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    gap: 4px 14px;
    margin-top: 12px;
  }
  .hint {
    margin-top: 16px;
  }
  .empty {
    margin: auto;
    padding: 24px;
    text-align: center;
    color: var(--vscode-descriptionForeground);
    line-height: 1.5;
  }
`;
