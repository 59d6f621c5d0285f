import { css } from 'lit';

export const replayStyles = css`
  :host {
    display: block;
    border-top: 1px solid var(--dsh-line);
    background: var(--vscode-editorWidget-background, var(--vscode-editor-background));
    container: replay / inline-size;
  }
  .strip {
    display: grid;
    grid-template-columns: minmax(0, 1fr) minmax(0, 280px);
    gap: 0 16px;
    height: 78px; /* always the same, so that nothing jumps while it fills */
    padding: 6px 12px 2px;
  }
  .stream {
    overflow: hidden auto;
    line-height: 18px;
    overflow-wrap: anywhere;
  }
  p {
    margin: 0;
    unicode-bidi: plaintext;
  }
  .said {
    white-space: pre-wrap;
  }
  .reasoning {
    color: var(--vscode-descriptionForeground);
    font-style: italic;
  }
  .tool-call {
    font-family: var(--vscode-editor-font-family, monospace);
    font-size: 0.95em;
  }
  .folded {
    color: var(--vscode-charts-purple);
  }
  .state {
    display: flex;
    flex-direction: column;
    gap: 1px;
    min-height: 0;
    font-size: 0.92em;
    color: var(--vscode-descriptionForeground);
  }
  .context,
  .title,
  li span {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .title {
    color: var(--vscode-foreground);
  }
  .context {
    display: flex;
    align-items: center;
    gap: 8px;
    flex: none;
  }
  .gauge {
    flex: 1 1 40px;
    min-width: 24px;
    height: 5px;
    border-radius: 3px;
    background: color-mix(in srgb, var(--vscode-foreground) 16%, transparent);
    overflow: hidden;
  }
  .gauge i {
    display: block;
    height: 100%;
    background: var(--vscode-charts-blue);
  }
  ul {
    flex: 1 1 0;
    min-height: 0;
    margin: 0;
    padding: 0;
    list-style: none;
    overflow: hidden auto;
  }
  li {
    display: flex;
    align-items: center;
    gap: 5px;
    line-height: 17px;
  }
  li .icon {
    flex: none;
    font-size: 12px;
    width: 12px;
  }
  .in_progress {
    color: var(--vscode-foreground);
  }
  .controls {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 10px;
    padding: 4px 12px;
  }
  .buttons {
    display: inline-flex;
    gap: 2px;
  }
  .square {
    padding: 3px;
    line-height: 16px;
  }
  .action {
    border-color: var(--dsh-line);
  }
  .speeds {
    display: inline-flex;
    flex: none;
    border: 1px solid var(--dsh-line);
    border-radius: 4px;
    overflow: hidden;
  }
  .speeds button {
    border: 0;
    border-radius: 0;
    padding: 1px 5px;
  }
  .speeds button + button {
    border-left: 1px solid var(--dsh-line);
  }
  .speeds button[aria-checked='true'] {
    background: var(--vscode-toolbar-activeBackground, color-mix(in srgb, var(--vscode-foreground) 16%, transparent));
    box-shadow: inset 0 0 0 1px var(--vscode-contrastActiveBorder, transparent);
  }
  .few {
    display: none;
  }
  select {
    font: inherit;
    color: var(--vscode-dropdown-foreground, var(--vscode-foreground));
    background: var(--vscode-dropdown-background, var(--vscode-editor-background));
    border: 1px solid var(--vscode-dropdown-border, var(--dsh-line));
    border-radius: 4px;
    padding: 2px 4px;
  }
  .slider {
    position: relative;
    flex: 1 1 80px;
    height: 22px;
    cursor: pointer;
    touch-action: none;
  }
  .track {
    position: absolute;
    inset: 9px 0;
    border-radius: 2px;
    background: color-mix(in srgb, var(--vscode-foreground) 24%, transparent);
    overflow: hidden;
  }
  .track i {
    display: block;
    height: 100%;
    background: var(--vscode-progressBar-background, var(--vscode-charts-blue));
  }
  .knob {
    position: absolute;
    top: 5px;
    width: 12px;
    height: 12px;
    margin-left: -6px;
    border-radius: 50%;
    background: var(--vscode-foreground);
  }
  .place {
    display: inline-flex;
    flex-direction: column;
    align-items: flex-end;
    color: var(--vscode-descriptionForeground);
  }
  /* As wide as it will ever be, so that the slider stays where it is. */
  .place::after {
    content: attr(data-widest);
    height: 0;
    visibility: hidden;
  }
  .proof {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 2px 8px;
    padding: 0 12px 6px;
  }
  .proof {
    max-height: 72px;
    overflow: hidden auto;
  }
  .proof:empty {
    display: none;
  }
  .proof > span:not(.icon) {
    min-width: 0;
  }
  @container replay (max-width: 899px) {
    .speeds {
      display: none;
    }
    .few {
      display: initial;
    }
  }
  @container replay (max-width: 760px) {
    .strip {
      grid-template-columns: minmax(0, 1fr) minmax(0, 38%);
    }
    .controls {
      gap: 4px 6px;
      padding: 4px 8px;
    }
    .slider {
      order: -1;
      flex-basis: 100%;
    }
  }
`;
