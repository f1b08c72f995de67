/** The whole of a small body. Throws what `tooLarge` makes when it has more bytes than `most`. */
export const readBody = async (
  pieces: AsyncIterable<Buffer>,
  most: number,
  tooLarge: () => Error,
): Promise<Buffer> => {
  const read: Buffer[] = []
  let size = 0
  for await (const piece of pieces) {
    size += piece.length
    if (size > most) throw tooLarge()
    read.push(piece)
  }
  return Buffer.concat(read)
}
