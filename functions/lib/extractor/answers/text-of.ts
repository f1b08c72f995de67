import { damagedAnswer } from './answer-error.ts'
import type { Bytes } from './unpack.ts'

/**
 * The text of a file, in pieces, without a byte order mark.
 *
 * @throws UserError `extractor.response.damaged` for bytes that the encoding does not have: they would be lost
 */
export async function* textOf(content: Bytes, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  const decode = (bytes?: Uint8Array): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined })
    } catch (cause) {
      throw damagedAnswer(`text in ${encoding}`, 'name the right "encoding" in "response"', cause)
    }
  }
  for await (const bytes of content) {
    const text = decode(bytes)
    if (text !== '') yield text
  }
  const end = decode()
  if (end !== '') yield end
}
