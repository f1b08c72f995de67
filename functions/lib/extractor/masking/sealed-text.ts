import { spellings } from './secret-spellings.ts'

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

declare global {
  interface RegExpConstructor {
    /** ECMAScript 2025, in Node 24; missing in the configured library of the compiler. */
    escape(text: string): string
  }
}
