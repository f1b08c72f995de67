import { isUtf8 } from 'node:buffer'

/** Makes the error for what is wrong at the place that its maker has come to. */
type Refuse = (problem: string, advice: string) => Error

/**
 * The text of a file of any format, decoded once and in one way: its pieces as they are, but that they end between characters.
 *
 * What is yielded is a part of what has arrived, or a character that began in an earlier piece. A piece with a defect is first
 * passed on up to the defect, because an error in there comes earlier in the file. Then it throws what `refuse` makes.
 */
export async function* textOf(file: AsyncIterable<Uint8Array>, refuse: Refuse): AsyncGenerator<Uint8Array> {
  let unfinished: Uint8Array = new Uint8Array(0)
  for await (const arrived of file) {
    let bytes = arrived
    while (unfinished.length > 0 && bytes.length > 0) {
      const joined = Buffer.concat([unfinished, bytes.subarray(0, 1)])
      bytes = bytes.subarray(1)
      const isUnfinished = countUnfinishedBytes(joined) === joined.length
      unfinished = isUnfinished ? joined : new Uint8Array(0)
      if (!isUnfinished) yield* checked(joined, refuse)
    }
    if (bytes.length === 0) continue
    const whole = bytes.length - countUnfinishedBytes(bytes)
    unfinished = Buffer.from(bytes.subarray(whole))
    yield* checked(bytes.subarray(0, whole), refuse)
  }
  yield* checked(unfinished, refuse)
}

function* checked(bytes: Uint8Array, refuse: Refuse): Generator<Uint8Array> {
  const defect = findTextDefect(bytes)
  const text = defect === undefined ? bytes : bytes.subarray(0, defect.index)
  if (text.length > 0) yield text
  if (defect === undefined) return
  throw defect.isNul
    ? refuse('A NUL byte, which no text has', 'Export the file again, as text in UTF-8')
    : refuse('A byte that is not UTF-8', 'Export the file again, with encoding UTF-8')
}

/** Where bytes stop being text: the index of a NUL byte or of the first byte of an invalid UTF-8 sequence. */
interface TextDefect {
  index: number
  isNul: boolean
}

/**
 * The first defect in `bytes`, which must not end inside a character (see {@link countUnfinishedBytes}).
 *
 * Valid text costs two native passes. Only a defect is then located exactly.
 */
const findTextDefect = (bytes: Uint8Array): TextDefect | undefined => {
  // Of a Buffer, whose search is ten times as fast as that of other typed arrays.
  const nul = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(0)
  const text = nul === -1 ? bytes : bytes.subarray(0, nul)
  if (!isUtf8(text)) return { index: findInvalidUtf8(text), isNul: false }
  return nul === -1 ? undefined : { index: nul, isNul: true }
}

/** How many bytes (0 to 3) at the end of `bytes` begin a character that continues in the next piece. */
const countUnfinishedBytes = (bytes: Uint8Array): number => {
  const end = bytes.length
  for (let count = 1; count <= 3 && count <= end; count++) {
    const byte = bytes[end - count] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    return sequenceLength(byte) > count ? count : 0
  }
  return 0
}

/** Character by character: slow, but needed only once, for the message. */
const findInvalidUtf8 = (bytes: Uint8Array): number => {
  let index = 0
  while (index < bytes.length) {
    const length = sequenceLength(bytes[index] ?? 0)
    if (length > 1 || (bytes[index] ?? 0) > 0x7f) {
      if (!isUtf8(bytes.subarray(index, index + length))) return index
    }
    index += length
  }
  return index
}

const sequenceLength = (lead: number): number => {
  if (lead >= 0xf0) return 4
  if (lead >= 0xe0) return 3
  return lead >= 0xc0 ? 2 : 1
}
