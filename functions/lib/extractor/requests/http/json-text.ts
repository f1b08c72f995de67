import { isUtf8 } from 'node:buffer'
import { UserError } from '#lib/errors/errors.ts'
import { firstHeader, type HttpResponse } from '../answers/http-response.ts'

const REPLACEMENT = Buffer.from('\ufffd')

/**
 * The body of a JSON response in UTF-8 without a byte order mark. Its charset is the one that is given, or that of `Content-Type`.
 *
 * @param encoding as the configuration says it
 * @throws UserError `extractor.response.encoding` for bytes that are no letters: they would be lost
 */
export const jsonText = (
  { body, headers }: Pick<HttpResponse, 'body' | 'headers'>,
  encoding: string | undefined,
): Buffer => {
  const said =
    encoding ?? /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(firstHeader(headers, 'content-type') ?? '')?.[1]
  const charset = charsetOf(body) ?? (said?.toLowerCase().replace('_', '-') || 'utf-8')
  const decoder = decoderOf(charset)
  if (decoder !== undefined) return decode(body, charset, decoder)
  const text = body.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? body.subarray(3) : body
  if (isUtf8(text) || !looksLikeJson(text)) return text
  throw notIn('UTF-8', text)
}

/** By its byte order mark. */
const charsetOf = ([first, second]: Buffer): string | undefined => {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

/** Nothing for UTF-8, which is not decoded, and for what nobody knows: it has to be UTF-8. */
const decoderOf = (charset: string): InstanceType<typeof TextDecoder> | undefined => {
  try {
    const decoder = new TextDecoder(charset, { fatal: true })
    return decoder.encoding === 'utf-8' ? undefined : decoder
  } catch {
    return undefined
  }
}

const decode = (body: Buffer, charset: string, decoder: InstanceType<typeof TextDecoder>): Buffer => {
  try {
    return Buffer.from(decoder.decode(body))
  } catch {
    throw notIn(charset, body)
  }
}

const looksLikeJson = (body: Buffer): boolean => /^\s*[[{"]/.test(body.subarray(0, 100).toString('latin1'))

const notIn = (charset: string, body: Buffer): UserError => {
  const at = firstOdd(body)
  const shown = body[at]?.toString(16).padStart(2, '0').toUpperCase()
  const place = shown === undefined ? '' : `: its byte ${at + 1} is 0x${shown}`
  return new UserError(
    'extractor.response.encoding',
    `The response is no text in ${charset}${place}. Name what it is written in, "response": {"format": "json", "encoding": "windows-1252"} for one.`,
  )
}

/** The place of the first byte that is no UTF-8. */
const firstOdd = (body: Buffer): number => {
  const text = Buffer.from(new TextDecoder('utf-8', { ignoreBOM: true }).decode(body))
  let at = 0
  while (at < body.length && body[at] === text[at]) at++
  // Of a replacement the first byte may be the same by chance
  return body.subarray(at - 1, at + 2).equals(REPLACEMENT) ? at - 1 : at
}
