import { rawUrlEncode, urlEncode } from '../../values/php/query.ts'

// U+001F never occurs unescaped in JSON text, so a mark cannot be mistaken for data
const mark = '\u001f'

/**
 * JSON text in which every secret of the configuration is replaced by a mark that names it, so that a checkpoint can be
 * stored without them. `openText` puts them back from the configuration of the next leg.
 *
 * @param secrets secrets by their path in the configuration
 */
export const sealText = (json: string, secrets: ReadonlyMap<string, string>): string => {
  const marks = new Map<string, string>()
  for (const [path, secret] of secrets) {
    for (const [index, form] of spellings(secret).entries()) {
      if (!marks.has(form)) marks.set(form, `${mark}${index}:${path}${mark}`)
    }
  }
  if (marks.size === 0) return json
  const forms = [...marks.keys()].sort((a, b) => b.length - a.length)
  const pattern = new RegExp(forms.map(form => RegExp.escape(form)).join('|'), 'g')
  return json.replace(pattern, form => marks.get(form) ?? form)
}

/** Undoes `sealText`. A secret that is gone from the configuration becomes empty. */
export const openText = (sealed: string, secrets: ReadonlyMap<string, string>): string =>
  sealed.replace(new RegExp(`${mark}(\\d+):([^${mark}]*)${mark}`, 'g'), (_, index: string, path: string) => {
    const secret = secrets.get(path)
    return secret === undefined ? '' : (spellings(secret)[Number(index)] ?? '')
  })

/**
 * The forms in which a secret may stand in a text, itself first. Checkpoints name a form by its position: new ones go to
 * the end.
 */
const spellings = (secret: string): string[] => {
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
    encodeURIComponent(text.toWellFormed()),
    JSON.stringify(text).slice(1, -1),
  ])
  const upperCase = [...plain, ...url, ...within]
  return [...new Set([...upperCase, ...upperCase.map(withLowerHex)])]
}

/** `%2f`, as some encoders write it. */
const withLowerHex = (text: string): string => text.replace(/%[0-9A-F]{2}/g, found => found.toLowerCase())
