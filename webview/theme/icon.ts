/** Icons of the codicon font, whose @font-face the host's page declares. Decorative: the words stand beside or in a label. */
import { css, html, type TemplateResult } from 'lit';

const glyphs = {
  'arrow-down': '\uea9a',
  'arrow-up': '\ueaa1',
  check: '\ueab2',
  'chevron-down': '\ueab4',
  'chevron-left': '\ueab5',
  'chevron-right': '\ueab6',
  'chevron-up': '\ueab7',
  circle: '\ueabc',
  clock: '\uea82',
  close: '\uea76',
  'collapse-all': '\ueac5',
  copy: '\uebcc',
  'debug-continue': '\ueacf',
  'debug-pause': '\uead1',
  'debug-reverse-continue': '\ueb8e',
  'debug-step-back': '\ueb8f',
  'debug-step-over': '\uead6',
  ellipsis: '\uea7c',
  error: '\uea87',
  'expand-all': '\ueb95',
  file: '\ueaea',
  filter: '\ueaf1',
  fit: '\ueb4c',
  fold: '\ueaf5',
  fork: '\uea63',
  info: '\uea74',
  'list-ordered': '\ueb16',
  pass: '\uebb3',
  play: '\ueb2c',
  question: '\ueb32',
  search: '\uea6d',
  target: '\uebf8',
  warning: '\uea6c',
} as const;

export type IconName = keyof typeof glyphs;

export const icon = (name: IconName): TemplateResult =>
  html`<span class="icon" data-icon=${name} aria-hidden="true">${glyphs[name]}</span>`;

export const iconStyles = css`
  .icon {
    font: normal 16px/1 codicon;
    display: inline-block;
    flex: none;
    width: 16px;
    text-align: center;
    vertical-align: text-bottom;
    user-select: none;
    -webkit-font-smoothing: antialiased;
  }
`;
