/** One broken house rule, with the place a reader can jump to. */
export interface Problem {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

export function formatProblems(problems: readonly Problem[]): string[] {
  return problems.map((p) => `${p.file}:${p.line} ${p.message}`);
}
