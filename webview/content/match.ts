/** Where a search's words stand in a line, without regard to case. */
export interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** The line cut at every match; one piece when there is none. The pieces joined are the line. */
export function markMatches(line: string, query: string): Piece[] {
  const folded = line.toLowerCase();
  const wanted = query.toLowerCase();
  // Where folding changes lengths, as of a capital dotted İ, places in the one are none in the other.
  if (wanted === '' || folded.length !== line.length) return [{ text: line, isMatch: false }];
  const pieces: Piece[] = [];
  let from = 0;
  for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, from)) {
    if (at > from) pieces.push({ text: line.slice(from, at), isMatch: false });
    pieces.push({ text: line.slice(at, at + wanted.length), isMatch: true });
    from = at + wanted.length;
  }
  if (from < line.length || pieces.length === 0) pieces.push({ text: line.slice(from), isMatch: false });
  return pieces;
}
