export interface Fence {
  /** Of the first line inside. */
  line: number
  /** All headings above, joined. */
  heading: string
  /** What stands behind the backticks: `json example`. */
  info: string
  text: string
}

/** The code fences of a document, in order. */
export function* fencesOf(markdown: string): Generator<Fence> {
  const headings: string[] = []
  let open: { line: number; info: string; lines: string[] } | undefined
  for (const [index, line] of markdown.split('\n').entries()) {
    const [, info] = /^```\s*(.*)$/.exec(line) ?? []
    if (open !== undefined && info === '') {
      yield {
        line: open.line,
        heading: headings.join(' > '),
        info: open.info,
        text: `${open.lines.join('\n')}\n`,
      }
      open = undefined
    } else if (open !== undefined) open.lines.push(line)
    else if (info !== undefined) open = { line: index + 2, info: info.trim(), lines: [] }
    else {
      const [, level, title] = /^(#{1,6})\s+(.*)$/.exec(line) ?? []
      if (level !== undefined && title !== undefined)
        headings.splice(level.length - 1, headings.length, title)
    }
  }
}
