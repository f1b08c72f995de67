import { Writable } from 'node:stream'

/** Data may hold what moves a terminal's cursor or rings its bell: control characters become visible signs. */
export const printable = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are replaced
  text.replace(/[\u0000-\u001f\u007f-\u009f]/g, character => {
    const code = character.charCodeAt(0)
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? '\u2421' : '\ufffd'
  })

/** The same for a text of several lines, which keeps its line ends and tabs. */
export const printableLines = (text: string): string => text.replace(/[^\n\t]+/g, printable)

/** A value as JSON, in which control characters are escaped: those also that JSON itself leaves as they are. */
export const printableJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(
    /[\u007f-\u009f]/g,
    character => `\\u00${character.charCodeAt(0).toString(16)}`,
  )

/** Bytes of others on their way to a stream: to a terminal they go as a printable text, anywhere else as they are. */
export const printableTo = (stream: Writable & { isTTY?: boolean }): Writable => {
  if (stream.isTTY !== true) return stream
  const decoder = new TextDecoder()
  return new Writable({
    write: (chunk: Buffer, _, written) =>
      void stream.write(printableLines(decoder.decode(chunk, { stream: true })), written),
  })
}
