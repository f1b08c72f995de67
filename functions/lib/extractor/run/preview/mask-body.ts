import { isUtf8 } from 'node:buffer'
import { jsonTokens } from '#lib/json/parse-json.ts'

/**
 * A body without secrets. JSON stays JSON: a number that is a secret becomes the text `***`.
 *
 * @param mask replaces the secrets of a text
 */
export const maskBody = (body: Buffer, mask: (text: string) => string): Buffer => {
  const encoding = isUtf8(body) ? 'utf8' : 'latin1' // each byte a letter: secrets of ASCII are found in any bytes
  const text = body.toString(encoding)
  const masked = mask(text)
  if (masked === text) return body
  const whole = parse(text) !== undefined && parse(masked) === undefined ? maskNumbers(text, mask) : masked
  return Buffer.from(whole, encoding)
}

const parse = (text: string): { value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** What surrounds texts and numbers stays as it is. */
const maskNumbers = (json: string, mask: (text: string) => string): string => {
  let whole = ''
  let copied = 0
  for (const { token, index } of jsonTokens(json)) {
    const masked = mask(token)
    if (masked === token) continue
    whole += json.slice(copied, index) + (token.startsWith('"') ? masked : JSON.stringify(masked))
    copied = index + token.length
  }
  return whole + json.slice(copied)
}
