import { diffLines } from 'diff'

interface LinePair {
  /** Undefined: the line is only on the other side. */
  left: string | undefined
  right: string | undefined
}

/** Two texts line by line. Lines that were replaced stand beside each other. */
export const sideBySide = (before: string, after: string): LinePair[] => {
  const pairs: LinePair[] = []
  let removed: string[] = []
  const flush = (added: readonly string[]): void => {
    for (let line = 0; line < Math.max(removed.length, added.length); line++)
      pairs.push({ left: removed[line], right: added[line] })
    removed = []
  }
  for (const change of diffLines(`${before}\n`, `${after}\n`)) {
    const lines = change.value.replace(/\n$/, '').split('\n')
    if (change.removed) {
      removed = lines
    } else if (change.added) {
      flush(lines)
    } else {
      flush([])
      pairs.push(...lines.map(line => ({ left: line, right: line })))
    }
  }
  flush([])
  return pairs
}
