import { css } from 'lit';

/** What the list does with less and less width. */
export const listNarrowStyles = css`
  .short {
    display: none;
  }
  /* Beside the mark of a fork the seq would not be seen any more. */
  .fork ~ .state-text > .full:has(+ .short) {
    font-size: 0; /* still read out */
    line-height: 0;
  }
  .fork ~ .state-text > .short {
    display: inline;
  }
  @container list (max-width: 860px) {
    .row {
      --title: 10.5em;
      --duration: 8ch;
      --bar: 56px;
      --state: 14ch;
    }
    /* What a call or an answer is about tells more than its size: beside longer words the size goes to a line that is not seen. */
    .entry:not(.instant, .bad, .failed) .rest {
      flex-wrap: wrap;
    }
    .rest > * {
      height: var(--row);
    }
    :host([long]) .row {
      --state: 11ch;
    }
    :host([long]) .full {
      font-size: 0;
      line-height: 0;
    }
    :host([long]) .short {
      display: inline;
    }
  }
  @container list (max-width: 760px) {
    .row {
      --title: 9.75em;
      --time: 8ch;
      --bar: 36px;
      --state: 9.5ch;
      column-gap: 6px;
    }
    .row:not(.bad, .failed) .rest {
      flex-wrap: wrap; /* of results too */
    }
    .full {
      font-size: 0; /* still read out */
      line-height: 0;
    }
    .short {
      display: inline;
    }
  }
  @container list (max-width: 620px) {
    .row {
      --bar: 32px;
      grid-template:
        'seq words duration bar state' 100%
        / var(--seq-width) minmax(0, 1fr) var(--duration) var(--bar) var(--state);
    }
    :is(.turn, .step) {
      grid-template:
        'seq words duration state' 100%
        / var(--seq-width) minmax(0, 1fr) var(--duration) calc(var(--bar) + 7.5ch);
    }
    .time {
      display: none;
    }
  }
  @container list (max-width: 520px) {
    .row {
      --title: 8.75em;
      --indent: 8px;
      grid-template: 'seq words duration state' 100% / var(--seq-width) minmax(0, 1fr) var(--duration) var(--state);
    }
    :is(.turn, .step) {
      grid-template-columns: var(--seq-width) minmax(0, 1fr) var(--duration) 7.5ch;
    }
    .instant .words {
      grid-column: words / duration;
    }
    .bar {
      display: none;
    }
    .row.bad:has(.outcome) .rest {
      flex-wrap: wrap; /* the column of states says that it failed */
    }
  }
  @container list (max-width: 440px) {
    .row {
      --title: 8.25em;
      --duration: 7.5ch;
      --state: 32px;
    }
    :is(.turn, .step) {
      grid-template-columns: var(--seq-width) minmax(0, 1fr) var(--duration) var(--state);
    }
    .state-text,
    .outcome > :not(.icon),
    .short {
      font-size: 0;
    }
  }
`;
