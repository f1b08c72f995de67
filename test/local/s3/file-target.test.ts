import { expect, it } from 'vitest'
import { FileTarget } from '#local/s3/body/file-target.ts'

/** A sink, and what it has written. `mostBytes`: the file takes so many at a time. */
const openSink = (mostBytes: number) => {
  let written = ''
  const files = { finish: async () => {}, discard: async () => {} }
  const sink = new FileTarget(files, 'file', {
    write: async buffers => {
      const taken = Buffer.concat(buffers).subarray(0, mostBytes)
      written += taken.toString()
      return taken.length
    },
    sync: async () => {},
    close: async () => {},
  })
  return { sink, written: () => written }
}

const pieceOf = (text: string): Buffer => {
  const piece = Buffer.allocUnsafeSlow(text.length)
  piece.write(text)
  return piece
}

it('a sink writes all bytes in order, however few the file takes at a time', async () => {
  const { sink, written } = openSink(3)
  for (const text of ['first', ' second', ' third']) await sink.write(pieceOf(text))
  await sink.finish()
  expect(written()).toBe('first second third')
})

it('a piece in memory of its own is freed once it is written', async () => {
  const { sink, written } = openSink(100)
  const piece = pieceOf('alone')
  await sink.write(piece)
  expect(piece.buffer.byteLength).toBe(5)
  await sink.finish()
  expect(piece.buffer.byteLength).toBe(0)
  expect(written()).toBe('alone')
})

it('memory that others share with a piece is kept', async () => {
  const { sink } = openSink(100)
  const shared = pieceOf('theirs and ours')
  await sink.write(shared.subarray(11))
  await sink.finish()
  expect(shared.toString()).toBe('theirs and ours')
})
