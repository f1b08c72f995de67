import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ChunkedDecoder } from '#local/s3/body/chunked-decoder.ts'

const frame = (chunks: readonly Uint8Array[], trailers: Record<string, string> = {}): Buffer =>
  Buffer.concat([
    ...chunks.flatMap(chunk => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
    Buffer.from('0\r\n'),
    ...Object.entries(trailers).map(([name, value]) => Buffer.from(`${name}:${value}\r\n`)),
    Buffer.from('\r\n'),
  ])

/** Decodes the framed bytes cut at the given places. */
const decodeCut = (
  framed: Buffer,
  cuts: readonly number[],
): { content: Buffer; trailers: Map<string, string> } => {
  const decoder = new ChunkedDecoder()
  const places = [0, ...cuts.map(cut => cut % (framed.length + 1)).sort((a, b) => a - b), framed.length]
  const content = places.slice(1).flatMap((end, index) => decoder.decode(framed.subarray(places[index], end)))
  decoder.finish()
  return { content: Buffer.concat(content), trailers: decoder.trailers }
}

describe('ChunkedDecoder', () => {
  it('gives the same bytes wherever the body is cut', () => {
    const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 6 })
    const trailers = fc.dictionary(
      fc.stringMatching(/^x-[a-z]{1,8}$/),
      fc.stringMatching(/^[\w=+/]{1,12}$/),
      { maxKeys: 3 },
    )
    fc.assert(
      fc.property(chunks, trailers, fc.array(fc.nat(400), { maxLength: 20 }), (parts, trailer, cuts) => {
        const decoded = decodeCut(frame(parts, trailer), cuts)
        expect(decoded.content).toEqual(Buffer.concat(parts))
        expect(Object.fromEntries(decoded.trailers)).toEqual({ ...trailer })
      }),
    )
  })

  it('never accepts the beginning of a body as the whole', () => {
    const framed = frame([Buffer.from('hello'), Buffer.from('world')], { 'x-amz-checksum-crc32': 'AAAAAA==' })
    for (let length = 0; length < framed.length; length++)
      expect(() => decodeCut(framed.subarray(0, length), [])).toThrow(/ended before/)
  })

  it.each([
    ['a size that is no number', 'five\r\nhello\r\n0\r\n\r\n'],
    ['a negative size', '-5\r\nhello\r\n0\r\n\r\n'],
    ['an endless size', `${'f'.repeat(20)}\r\n`],
    ['an endless line', '0'.repeat(2000)],
    ['line feeds alone', '5\nhello\n0\n\n'],
    ['bytes after the end', '0\r\n\r\nmore'],
    ['a trailer without a name', '0\r\n:x\r\n\r\n'],
    ['endless trailers', `0\r\n${Array.from({ length: 11 }, (_, i) => `t${i}:x\r\n`).join('')}\r\n`],
    ['an extension it does not know', '5;name=value\r\nhello\r\n0\r\n\r\n'],
  ])('refuses %s', (_, body) => {
    expect(() => decodeCut(Buffer.from(body), [])).toThrow(expect.objectContaining({ status: 400 }))
  })
})
