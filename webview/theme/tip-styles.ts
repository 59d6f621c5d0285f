import { css } from 'lit';

/** The hover of the canvases, drawn like the editor's own. */
export const tipStyles = css`
  .tip {
    position: absolute;
    z-index: 20;
    max-width: min(420px, 80%);
    padding: 4px 8px;
    line-height: 18px;
    pointer-events: none;
    overflow-wrap: anywhere;
    color: var(--vscode-editorHoverWidget-foreground, var(--vscode-foreground));
    background: var(--vscode-editorHoverWidget-background);
    border: 1px solid var(--vscode-editorHoverWidget-border, var(--vscode-contrastBorder));
    border-radius: 4px;
    box-shadow: 0 2px 8px var(--vscode-widget-shadow, transparent);
  }
  .head {
    font-weight: 600;
  }
`;
