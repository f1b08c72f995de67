/** Shorter texts stand for too much else: they are looked for in columns only. */
export const MIN_TEXT_LENGTH = 4

/**
 * Finds any of some values in bytes, as a whole word: in UTF-8, as CSV and JSON write it. The same letters, in the same case.
 */
export const textFinder = (values: readonly string[]) => {
  const forms = values.flatMap(value => [
    value,
    value.replaceAll('"', '""'),
    JSON.stringify(value).slice(1, -1),
    JSON.stringify(JSON.stringify(value).slice(1, -1)).slice(1, -1),
    escapedUnicode(value),
  ])
  const needles = [...new Set(forms)].map(form => Buffer.from(form).toString('latin1'))
  // In Latin-1 each byte of a letter beyond ASCII is one of \x80-\xff. Signs of addresses join words: x-jane@example.com is another's.
  const word = '0-9A-Za-z_\\x80-\\xff'
  const pattern = `(?<![${word}]|[${word}][.+@-])(?:${needles.map(RegExp.escape).join('|')})(?![${word}]|[.+@-][${word}])`
  const longest = Math.max(...needles.map(({ length }) => length))

  const inText = (latin1: string): boolean => new RegExp(pattern).test(latin1)

  return {
    inJson: (value: unknown): boolean => inText(Buffer.from(JSON.stringify(value) ?? '').toString('latin1')),

    async inBytes(chunks: AsyncIterable<Uint8Array>): Promise<boolean> {
      // What follows the last bytes decides whether they are a whole word.
      let kept = ''
      for await (const chunk of chunks) {
        const text = kept + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')
        for (const { index, 0: found } of text.matchAll(new RegExp(pattern, 'g')))
          if (index + found.length + 2 <= text.length) return true
        kept = text.slice(-(longest + 3))
      }
      return inText(kept)
    },
  }
}

export type TextFinder = ReturnType<typeof textFinder>

/** As JSON in ASCII has it. */
const escapedUnicode = (value: string): string =>
  JSON.stringify(value)
    .slice(1, -1)
    .replaceAll(/[^\x20-\x7e]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
