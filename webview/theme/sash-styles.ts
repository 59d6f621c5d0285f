import { css } from 'lit';

/** The grip between two panes: unseen until it is pointed at or focused, as the workbench has it. */
export const sashStyles = css`
  .grip {
    position: absolute;
    inset: 0 -3px;
    cursor: ew-resize;
    touch-action: none;
    transition: background 0.1s 0.15s;
  }
  .grip.rows {
    inset: -3px 0;
    cursor: ns-resize;
  }
  .grip:hover,
  .grip:active,
  .grip:focus-visible {
    background: var(--vscode-sash-hoverBorder, var(--vscode-focusBorder));
    outline: none;
  }
  @media (prefers-reduced-motion: reduce) {
    .grip {
      transition: none;
    }
  }
`;
