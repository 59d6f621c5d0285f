/** Looks that several elements share, as the workbench draws its own controls. */
import { css } from 'lit';
import { iconStyles } from './icon.ts';

export const sharedStyles = [
  iconStyles,
  css`
    :host {
      box-sizing: border-box;
      font-family: var(--vscode-font-family);
      font-size: var(--vscode-font-size, 13px);
      color: var(--vscode-foreground);
    }
    :host([hidden]) {
      display: none;
    }
    *,
    *::before,
    *::after {
      box-sizing: border-box;
    }
    button {
      font: inherit;
      color: inherit;
      background: none;
      border: 1px solid transparent;
      border-radius: 4px;
      margin: 0;
      padding: 2px 6px;
      line-height: 18px;
      cursor: pointer;
      white-space: nowrap;
    }
    button:hover {
      background: var(--vscode-toolbar-hoverBackground);
      outline: 1px dashed var(--vscode-toolbar-hoverOutline, transparent);
      outline-offset: -1px;
    }
    button:disabled {
      opacity: 0.5;
      cursor: default;
    }
    :focus-visible {
      outline: 1px solid var(--vscode-focusBorder);
      outline-offset: -1px;
    }
    .link {
      color: var(--vscode-textLink-foreground);
      padding: 0 2px;
      margin: 0 -2px;
      border: 0;
      text-align: start;
    }
    .link:hover {
      background: none;
      text-decoration: underline;
      color: var(--vscode-textLink-activeForeground);
    }
    .sr {
      position: absolute;
      width: 1px;
      height: 1px;
      margin: -1px;
      overflow: hidden;
      clip-path: inset(50%);
      white-space: nowrap;
    }
    .number {
      font-variant-numeric: tabular-nums;
    }
  `,
];
