/** The whole of a body that may be small only. Throws what `tooLarge` makes when it has more bytes than `most`. */
export const readWhole = async (
  pieces: AsyncIterable<Uint8Array>,
  most: number,
  tooLarge: () => Error,
): Promise<Buffer> => {
  const read: Uint8Array[] = []
  let size = 0
  for await (const piece of pieces) {
    size += piece.length
    if (size > most) throw tooLarge()
    read.push(piece)
  }
  return Buffer.concat(read)
}
