import { UserError } from '#lib/errors/errors.ts'
import { urlDecode } from '#lib/extractor/values/php/form-encoding.ts'
import { isObject } from '#lib/json/json-value.ts'
import { parseJson } from '#lib/json/parse-json.ts'
import type { KnownRequest } from './known-request.ts'

/**
 * An address taken apart; without a scheme it is https.
 *
 * @throws UserError `extractor.draft`
 */
export const takeAddress = (address: string): Pick<KnownRequest, 'url' | 'query' | 'user'> => {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`
  if (!URL.canParse(whole) || !/^https?:/i.test(whole))
    throw new UserError('extractor.draft', `"${address.split('?')[0]}" is not an http or https address.`)
  const url = new URL(whole)
  const { username, password } = url
  const query = readPairs(url.search.slice(1))
  url.search = ''
  url.hash = ''
  url.username = ''
  url.password = ''
  return {
    url,
    query,
    ...(username === '' && password === ''
      ? {}
      : { user: { name: urlDecode(username), password: urlDecode(password) } }),
  }
}

/**
 * The pairs of a query or a form.
 *
 * @throws UserError `extractor.draft` for a name that repeats: `params` of a configuration hold a name once
 */
export const readPairs = (text: string): Record<string, string> => {
  const pairs: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(text)) {
    if (Object.hasOwn(pairs, name))
      throw new UserError(
        'extractor.draft',
        `The parameter "${name}" is there twice. A configuration sends each name once; leave one out.`,
      )
    pairs[name] = value
  }
  return pairs
}

/** @throws UserError `extractor.draft` for a body that is neither JSON nor a form */
export const readBody = (text: string, contentType: string | undefined): KnownRequest['body'] => {
  const isJson = contentType === undefined ? /^\s*[{[]/.test(text) : /\bjson\b/i.test(contentType)
  if (isJson) {
    const value = parsed(text)
    if (!isObject(value) && !Array.isArray(value))
      throw new UserError('extractor.draft', 'The body of the command is no JSON object or list.')
    return { kind: 'json', value }
  }
  if (contentType === undefined || /x-www-form-urlencoded/i.test(contentType))
    return { kind: 'form', fields: readPairs(text) }
  throw new UserError('extractor.draft', `A body of the type ${contentType} is neither JSON nor a form.`)
}

const parsed = (text: string): unknown => {
  try {
    return parseJson(text)
  } catch (cause) {
    throw new UserError('extractor.draft', 'The body of the command is no valid JSON.', { cause })
  }
}
