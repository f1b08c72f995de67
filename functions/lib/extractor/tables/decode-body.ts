import { isUtf8 } from 'node:buffer'

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const replacement = Buffer.from('\ufffd')

/**
 * The text of a response body as Generic Extractor reads it: bytes that are no UTF-8 and escapes of half a surrogate
 * pair (`\ud800`) are dropped.
 */
export const decodeBody = (body: Uint8Array): string => {
  const text = isUtf8(body) ? decoder.decode(body) : decodeValidBytes(body)
  return text.includes('\\ud') || text.includes('\\uD') ? dropHalfPairs(text) : text
}

const decodeValidBytes = (body: Uint8Array): string => {
  // A replacement character that the API itself sent stays.
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const parts: string[] = []
  let start = 0
  for (let end = bytes.indexOf(replacement); end !== -1; end = bytes.indexOf(replacement, start)) {
    parts.push(decoder.decode(bytes.subarray(start, end)).replaceAll('\ufffd', ''))
    start = end + replacement.length
  }
  parts.push(decoder.decode(bytes.subarray(start)).replaceAll('\ufffd', ''))
  return parts.join('\ufffd')
}

/** Whole pairs and all other escapes come first, so that what is left is half a pair. */
const escapes =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\[^u]|(\\u[dD][89a-fA-F][\da-fA-F]{2})/g

const dropHalfPairs = (text: string): string =>
  text.replace(escapes, (match, half: string | undefined) => (half === undefined ? match : ''))
