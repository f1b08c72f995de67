import type { ByteRange } from '../lib/table-engine/files/footer.ts'

/** Most readers want no more than so many bytes after the ones that they ask for. */
const AHEAD_BYTES = 64 * 1024

/** Reads a part of a file and a little more; then, for whoever wants them, more and more of the bytes after it. */
export async function* readOn(
  read: (part: ByteRange) => AsyncIterable<Uint8Array>,
  { start, end, fileEnd }: ByteRange & { fileEnd: number },
): AsyncGenerator<Uint8Array> {
  let ahead = AHEAD_BYTES
  let at = start
  let until = end
  while (at < fileEnd) {
    until = Math.min(fileEnd, until + ahead)
    yield* read({ start: at, end: until })
    at = until
    ahead *= 2
  }
}
