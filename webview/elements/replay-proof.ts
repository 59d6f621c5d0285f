/** What a replay proved, in words; every difference it names opens as a diff. */
import { html, nothing, type TemplateResult } from 'lit';
import type { ReplayProof } from '../../src/protocol/index.ts';
import { formatNumber } from '../l10n/format.ts';
import { t } from '../l10n/strings.ts';
import type { ReplayState } from '../state/replay.ts';
import { icon } from '../theme/icon.ts';

/** Differences named before the rest is asked for. */
const FEW = 8;

export interface ProofOptions {
  readonly isWhole: boolean;
  readonly showAll: () => void;
  readonly jump: (seq: number) => void;
}

export function proofView(replay: ReplayState, proof: ReplayProof, { isWhole, showAll, jump }: ProofOptions): TemplateResult {
  const { disagreeingCount, disagreeing, historyAgrees, refused, events, stopsAt } = proof;
  const named = isWhole ? disagreeing : disagreeing.slice(0, FEW);
  const more = disagreeingCount - named.length;
  const rest = isWhole ? nothing : link(t('{n} more', { n: formatNumber(more) }), showAll);
  return html`${icon(disagreeingCount === 0 && historyAgrees ? 'pass' : 'warning')}
    <span>${answersWords(proof)}</span>
    ${named.map((seq) => link(t('difference at #{seq}', { seq }), () => void replay.showDifference(seq)))}
    ${more > 0 ? (isWhole ? html`<span>${t('{n} more', { n: formatNumber(more) })}</span>` : rest) : nothing}
    <span aria-hidden="true">·</span>
    ${
      historyAgrees
        ? html`<span>${t('derived history equal')}</span>`
        : link(historyWords(proof.differing), () => void replay.showHistoryDifference())
    }
    ${
      refused.length === 0
        ? nothing
        : html`<span aria-hidden="true">·</span> <span>${t('events the surface refuses:')}</span> ${refused
              .slice(0, FEW)
              .map((seq) =>
                link(`#${String(seq)}`, () => {
                  jump(seq);
                }),
              )}${refused.length > FEW ? html`<span>…</span>` : nothing}`
    }
    ${
      stopsAt === undefined
        ? nothing
        : html`<span aria-hidden="true">·</span>
            <span>${t('played up to #{seq}, where an unknown event stops deriving', { seq: events - 1 })}</span>`
    }`;
}

function answersWords({ answers, disagreeingCount }: ReplayProof): string {
  if (answers === 0) return t('no answer here was recorded as a stream, so there are no chunks to compare');
  return t('{n} of {all} answers equal what their chunks make', {
    n: formatNumber(answers - disagreeingCount),
    all: formatNumber(answers),
  });
}

function historyWords(differing: readonly number[]): string {
  const [first] = differing;
  if (first === undefined) return t('derived history differs');
  return differing.length === 1
    ? t('derived history differs at #{seq}', { seq: first })
    : t('derived history differs from #{seq} on, in {n} messages', { seq: first, n: formatNumber(differing.length) });
}

const link = (label: string, run: () => void): TemplateResult => html`<button class="link" @click=${run}>${label}</button>`;
