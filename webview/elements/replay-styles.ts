import { css } from 'lit';

/** There is no room to show it; it is read out. */
const unseen = css`
  position: absolute;
  width: 1px;
  height: 1px;
  overflow: hidden;
  text-overflow: ellipsis;
  clip-path: inset(50%);
`;

export const replayStyles = css`
  :host {
    display: block;
    border-top: 1px solid var(--dsh-line);
    background: var(--vscode-editorWidget-background, var(--vscode-editor-background));
    container: replay / inline-size;
  }
  .strip {
    display: grid;
    grid-template-columns: minmax(0, 1fr) minmax(0, 340px) auto;
    grid-template-rows: 72px; /* always the same, so that nothing jumps while it fills; whole lines of 18px */
    gap: 0 16px;
    padding: 6px 12px 2px;
    line-height: 18px;
  }
  .stream {
    overflow: hidden auto;
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
    min-width: 0;
    min-height: 0;
    font-size: 0.92em;
    color: var(--vscode-descriptionForeground);
  }
  .figures {
    display: flex;
    flex: none;
    gap: 0 16px;
    min-width: 0;
  }
  .full,
  .short,
  .until,
  .todo > span,
  li span {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .context {
    display: grid;
    grid-template-columns: fit-content(100%) minmax(24px, 1fr);
    align-items: center;
    gap: 0 8px;
    flex: 1 1 0;
    min-width: 0;
  }
  .short {
    display: none;
  }
  .until {
    grid-column: 1 / -1;
    font-style: italic;
  }
  .done {
    flex: none;
  }
  .gauge {
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
  /* Of before messages were folded. */
  .gauge.old i {
    background: repeating-linear-gradient(135deg, var(--vscode-charts-blue) 0 2px, transparent 2px 5px);
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
  }
  li .icon,
  .todo .icon {
    flex: none;
    font-size: 12px;
    width: 12px;
  }
  .in_progress {
    color: var(--vscode-foreground);
  }
  .toggle {
    align-self: start;
    margin: -3px 0;
  }
  .line {
    grid-template-columns: minmax(40%, 1fr) minmax(0, auto) auto;
    grid-template-rows: 18px;
    padding-bottom: 3px;
  }
  .line .stream {
    overflow: auto hidden;
    scrollbar-width: none;
    white-space: nowrap;
  }
  /* The end is in sight, and the letters run out instead of being cut through. */
  .line .stream[cut] {
    mask-image: linear-gradient(to right, transparent, black 20px);
  }
  .line p,
  .line .said {
    display: inline;
    white-space: nowrap;
  }
  .line .event {
    display: block;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .line .folded ~ p {
    display: none; /* what was folded says more than the name of what folded it */
  }
  .line .state {
    flex-direction: row;
    gap: 0 16px;
  }
  .line .gauge {
    width: 40px;
  }
  .line .until {
    ${unseen}
  }
  .todo {
    display: flex;
    align-items: center;
    gap: 5px;
    min-width: 0;
    max-width: 220px;
  }
  .controls {
    display: flex;
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
    flex: 1 0 100px;
    height: 22px;
    margin: 0 6px; /* half the knob, which stands out at either end */
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
    display: flex;
    flex: 0 1 auto;
    align-items: baseline;
    min-width: 0;
    color: var(--vscode-descriptionForeground);
    white-space: nowrap;
  }
  .at {
    flex: none;
    text-align: end;
  }
  /* As wide as it will ever be, so that the slider stays where it is. */
  .at::after {
    display: block;
    content: attr(data-widest);
    height: 0;
    visibility: hidden;
  }
  .says {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: pre;
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
  @container replay (max-width: 959px) {
    .speeds {
      display: none;
    }
    .few {
      display: initial;
    }
  }
  @container replay (max-width: 760px) {
    .strip:not(.line) {
      grid-template-columns: minmax(0, 1fr) minmax(0, 45%) auto;
    }
    .line .full {
      ${unseen}
    }
    .line .short {
      display: initial;
    }
    .strip:not(.line) .figures {
      flex-direction: column;
    }
    .context {
      flex: none;
    }
    .controls {
      display: grid;
      grid-template-columns: auto auto minmax(0, 1fr) auto auto;
      gap: 0 8px;
      padding: 0 8px 4px;
    }
    .slider {
      grid-area: 1 / 1 / auto / span 3;
    }
    .place {
      display: contents;
    }
    .at {
      grid-area: 1 / 4 / auto / span 2;
    }
    .dot {
      display: none;
    }
    .says .full {
      ${unseen}
    }
    .says::after {
      content: attr(data-short) / ''; /* the whole is read out */
    }
  }
  @container replay (max-width: 680px) {
    .line .todo {
      ${unseen}
    }
  }
  /* The words and the proof have a line of their own. */
  @container replay (max-width: 480px) {
    .controls {
      grid-template-columns: auto minmax(0, 1fr) auto auto;
      gap: 0 4px;
    }
    .slider {
      grid-area: 1 / 1 / auto / span 2;
    }
    .at {
      grid-area: 1 / 3 / auto / span 2;
    }
    .buttons {
      grid-area: 2 / 1;
    }
    .few {
      grid-area: 2 / 2;
      justify-self: start;
    }
    .leave {
      grid-area: 2 / 4;
    }
    .says {
      grid-area: 3 / 1 / auto / span 2;
    }
    .action {
      grid-area: 3 / 3 / auto / span 2;
      justify-self: end;
    }
    .line .gauge,
    .strip:not(.line) .gauge {
      display: none;
    }
    .line .done {
      ${unseen}
    }
  }
  @container replay (max-width: 320px) {
    .buttons {
      gap: 0;
    }
    .square {
      padding: 3px 1px;
    }
  }
`;
