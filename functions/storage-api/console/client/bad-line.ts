/** A line of a file, and where it lies. */
interface Line {
  text: string
  firstByte: number
  /** That of its line break, or the length of the file. */
  endByte: number
}

const LINE_FEED = 0x0a
const LONGEST_BYTES = 16 * 1024

/** The line with this number, from 1; nothing where the file has fewer, or the line is too long to be shown. */
export const findLine = async (content: Blob, number: number): Promise<Line | undefined> => {
  const reader = content.stream().getReader()
  let line = 1
  let position = 0
  let firstByte = 0
  let endByte: number | undefined
  while (endByte === undefined) {
    const { value, done } = await reader.read()
    if (done) break
    for (let at = value.indexOf(LINE_FEED); at >= 0; at = value.indexOf(LINE_FEED, at + 1)) {
      if (line === number) {
        endByte = position + at
        break
      }
      line++
      if (line === number) firstByte = position + at + 1
    }
    position += value.length
  }
  void reader.cancel()
  const end = endByte ?? position
  if (line !== number || end - firstByte > LONGEST_BYTES) return undefined
  return { text: await content.slice(firstByte, end).text(), firstByte, endByte: end }
}

/** The file with another text in place of a line. */
export const withLine = (file: File, { firstByte, endByte }: Line, text: string): File =>
  new File([file.slice(0, firstByte), text, file.slice(endByte)], file.name)
