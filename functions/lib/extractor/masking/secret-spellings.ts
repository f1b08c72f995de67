import { rawUrlEncode, urlEncode } from '../php/form-encoding.ts'

/**
 * The forms in which a secret may stand in a text, itself first. Checkpoints name a form by its position: new ones go to
 * the end.
 */
export const spellings = (secret: string): string[] => {
  const base64 = Buffer.from(secret).toString('base64')
  // Short texts have short base64 forms that stand in unrelated text by chance
  const encoded = secret.length < 6 ? [] : [base64, base64.replace(/=+$/, ''), urlEncode(base64)]
  const json = JSON.stringify(secret).slice(1, -1)
  const plain = [
    secret,
    urlEncode(secret),
    rawUrlEncode(secret),
    encodeURIComponent(secret.toWellFormed()),
    json,
    json.replaceAll('/', '\\/'),
    ...encoded,
  ]
  const url = encoded.slice(0, 2).map(text => text.replaceAll('+', '-').replaceAll('/', '_'))
  const within = plain.flatMap(text => [
    rawUrlEncode(text),
    encodeURIComponent(text.toWellFormed()),
    inAscii(text),
    JSON.stringify(text).slice(1, -1),
    inHtml(text, '&#39;'),
    inHtml(text, '&#039;'),
    inHtml(text, '&#x27;'),
  ])
  const upperCase = [...plain, ...url, ...within]
  return [...new Set([...upperCase, ...upperCase.map(withLowerHex)])]
}

/** `%2f`, as some encoders write it. */
const withLowerHex = (text: string): string => text.replace(/%[0-9A-F]{2}/g, found => found.toLowerCase())

/** JSON that holds nothing beyond ASCII, as PHP and Python write it. */
const inAscii = (text: string): string =>
  text.replace(/[^\0-~]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

const inHtml = (text: string, apostrophe: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", apostrophe)
