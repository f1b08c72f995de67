/** The pieces, each of them valid only until the next one is asked for, as those of a large object in S3 are. */
export async function* overwritten(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    const copy = Buffer.from(piece)
    yield copy
    copy.fill('"')
  }
}
