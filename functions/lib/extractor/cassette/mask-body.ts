import { isUtf8 } from 'node:buffer'

/**
 * A body without secrets. JSON stays JSON: a number that is a secret becomes the text `***`.
 *
 * @param mask replaces the secrets of a text
 */
export const maskBody = (
  body: Buffer,
  mask: (text: string) => string,
): { body: Buffer; isMasked: boolean } => {
  const encoding = isUtf8(body) ? 'utf8' : 'latin1' // each byte a letter: secrets of ASCII are found in any bytes
  const text = body.toString(encoding)
  const masked = mask(text)
  if (masked === text) return { body, isMasked: false }
  const whole = parse(text) !== undefined && parse(masked) === undefined ? maskNumbers(text, mask) : masked
  return { body: Buffer.from(whole, encoding), isMasked: true }
}

const parse = (text: string): { value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** Texts and numbers of JSON; what surrounds them stays as it is. */
const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g

const maskNumbers = (json: string, mask: (text: string) => string): string =>
  json.replace(token, part => {
    const masked = mask(part)
    return masked === part || part.startsWith('"') ? masked : JSON.stringify(masked)
  })
