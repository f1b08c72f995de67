import { UserError } from '#lib/errors/errors.ts'
import { urlDecode } from '#lib/extractor/values/php/query.ts'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { parseJson } from '#lib/json/parse-json.ts'
import { splitWords } from './shell-words.ts'

/** A request that its author knows to work, taken apart. */
export interface KnownRequest {
  method: 'GET' | 'POST'
  /** Without query, fragment and credentials. */
  url: URL
  query: Record<string, string>
  /** As they were written; no two differ in case alone. */
  headers: Record<string, string>
  body?: { kind: 'json' | 'form'; value: JsonObject | Json[] }
  /** Of Basic authentication. */
  user?: { name: string; password: string }
}

interface CurlCommand {
  request: KnownRequest
  /** What of the command is not in the request, in sentences. */
  leftOut: string[]
}

/**
 * Reads a curl command. Options that say nothing of the request are left out and named, as are those that are not known.
 *
 * @throws UserError `extractor.draft` for a command that no configuration can express
 */
export const readCurl = (
  command: string,
  environment: Readonly<Record<string, string | undefined>> = {},
): CurlCommand => {
  const { words, rest } = splitWords(command.trim(), environment)
  const [program, ...args] = words
  if (program === undefined || !/(^|[\\/])curl(\.exe)?$/i.test(program))
    throw new UserError('extractor.draft', 'The command must begin with "curl".')
  const given = readOptions(args)
  const values = (meaning: Meaning): string[] =>
    given.filter(one => one.meaning === meaning).map(({ value }) => value)
  const refused = given.find(({ meaning }) => meaning === 'refused')
  if (refused !== undefined) throw unusable(`what ${refused.name} of curl asks for`)

  const { url, query, user: inAddress } = takeAddress(onlyAddress(given))
  const headers = readHeaders(given)
  const json = values('jsonBody')
  const pieces = [...values('body'), ...values('urlencodedBody').map(urlencoded)]
  const file = [...pieces, ...json].find(text => text.startsWith('@'))
  if (file !== undefined)
    throw new UserError(
      'extractor.draft',
      `The body is read from a file (${file}). Write its content into the command.`,
    )
  const isQuery = values('bodyAsQuery').length > 0
  Object.assign(query, readPairs([...values('query').map(urlencoded), ...(isQuery ? pieces : [])].join('&')))
  const bodyText = isQuery ? '' : pieces.length > 0 ? pieces.join('&') : json.join('')
  const type = json.length > 0 ? 'application/json' : headerOf(headers, 'content-type')
  const body = bodyText === '' ? undefined : readBody(bodyText, type)
  const method = (values('method').at(-1) ?? (body === undefined ? 'GET' : 'POST')).toUpperCase()
  if (method !== 'GET' && method !== 'POST') throw unusable(`a request with ${method}`)
  if (method === 'GET' && body !== undefined) throw unusable('a GET with a body')
  const basic = values('user').at(-1)
  const user = basic === undefined ? inAddress : splitUser(basic)
  return {
    request: { method, url, query, headers, ...(body && { body }), ...(user && { user }) },
    leftOut: leftOutOf(given, rest),
  }
}

const unusable = (what: string): UserError =>
  new UserError('extractor.draft', `A configuration of the extractor has no way to write ${what}.`)

const named = <Meant extends string>(meaning: Meant, names: string) =>
  names.split(' ').map(name => [name, meaning] as const)

/** What the options of curl that take a value mean for a request ("curl.1 the man page"). */
const withValue = new Map([
  ...named('address', '--url'),
  ...named('method', '-X --request'),
  ...named('header', '-H --header'),
  ...named('body', '-d --data --data-ascii --data-raw --data-binary'),
  ...named('urlencodedBody', '--data-urlencode'),
  ...named('jsonBody', '--json'),
  ...named('query', '--url-query'),
  ...named('user', '-u --user'),
  ...named('bearer', '--oauth2-bearer'),
  ...named('userAgent', '-A --user-agent'),
  ...named('cookie', '-b --cookie'),
  ...named('refused', '-F --form --form-string -T --upload-file --aws-sigv4'),
  ...named('leftOut', '-x --proxy --proxy-user --cacert --capath -E --cert --key --resolve --interface'),
  ...named('leftOut', '-m --max-time --connect-timeout --retry --retry-delay --retry-max-time --max-redirs'),
  ...named('leftOut', '-o --output -w --write-out -D --dump-header -c --cookie-jar --stderr --trace'),
  ...named('leftOut', '--limit-rate --connect-to -r --range -e --referer'),
])
/** Of those without one. All others say nothing of the request. */
const withoutValue = new Map([
  ...named('bodyAsQuery', '-G --get'),
  ...named('refused', '-I --head --digest --ntlm --negotiate'),
])

type Meaning =
  | (typeof withValue extends Map<string, infer Meant> ? Meant : never)
  | (typeof withoutValue extends Map<string, infer Meant> ? Meant : never)

interface Given {
  meaning: Meaning
  name: string
  value: string
}

const readOptions = (args: readonly string[]): Given[] => {
  const given: Given[] = []
  const words = [...args]
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (!word.startsWith('-') || word === '-') {
      given.push({ meaning: 'address', name: '', value: word })
      continue
    }
    const isShort = !word.startsWith('--')
    const name = isShort ? word.slice(0, 2) : word
    const attached = isShort ? word.slice(2) : ''
    const meaning = withValue.get(name)
    if (meaning === undefined) {
      given.push({ meaning: withoutValue.get(name) ?? 'leftOut', name, value: '' })
      // `-sSL`: each character is an option
      if (attached !== '') words.unshift(`-${attached}`)
      continue
    }
    const value = attached === '' ? words.shift() : attached
    if (value === undefined)
      throw new UserError('extractor.draft', `${name} of the curl command has no value.`)
    given.push({ meaning, name, value })
  }
  return given
}

const onlyAddress = (given: readonly Given[]): string => {
  const [address, ...others] = given.filter(({ meaning }) => meaning === 'address')
  if (address === undefined) throw new UserError('extractor.draft', 'The curl command has no address.')
  if (others.length === 0) return address.value
  const unknown = given.filter(({ name, meaning }) => meaning === 'leftOut' && !withValue.has(name))
  const hint = unknown.length > 0 ? `, or ${unknown.map(({ name }) => name).join(', ')} takes a value` : ''
  throw new UserError(
    'extractor.draft',
    `The command asks for ${others.length + 1} addresses${hint}. Give one.`,
  )
}

/** Without a scheme an address is https. */
const takeAddress = (address: string): Pick<KnownRequest, 'url' | 'query' | 'user'> => {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`
  if (!URL.canParse(whole) || !/^https?:/i.test(whole))
    throw new UserError('extractor.draft', `"${address.split('?')[0]}" is not an http or https address.`)
  const url = new URL(whole)
  const { username, password, search } = url
  Object.assign(url, { search: '', hash: '', username: '', password: '' })
  const user = { name: urlDecode(username), password: urlDecode(password) }
  return { url, query: readPairs(search.slice(1)), ...(username + password !== '' && { user }) }
}

/** The pairs of a query or a form. `params` of a configuration hold a name once. */
const readPairs = (text: string): Record<string, string> => {
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

const readBody = (text: string, contentType: string | undefined): KnownRequest['body'] => {
  const isJson = contentType === undefined ? /^\s*[{[]/.test(text) : /\bjson\b/i.test(contentType)
  if (isJson) {
    const value = parsed(text)
    if (!isObject(value) && !Array.isArray(value))
      throw new UserError('extractor.draft', 'The body of the command is no JSON object or list.')
    return { kind: 'json', value }
  }
  if (contentType === undefined || /x-www-form-urlencoded/i.test(contentType))
    return { kind: 'form', value: readPairs(text) }
  throw new UserError('extractor.draft', `A body of the type ${contentType} is neither JSON nor a form.`)
}

const parsed = (text: string): Json => {
  try {
    return parseJson(text)
  } catch (cause) {
    throw new UserError('extractor.draft', 'The body of the command is no valid JSON.', { cause })
  }
}

/** The names of headers are not told apart by case. */
const nameIn = (headers: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.keys(headers).find(each => each.toLowerCase() === name.toLowerCase())

export const headerOf = (headers: Readonly<Record<string, string>>, name: string): string | undefined =>
  headers[nameIn(headers, name) ?? name]

const readHeaders = (given: readonly Given[]): Record<string, string> => {
  const headers: Record<string, string> = {}
  const put = (name: string, value: string): void => {
    headers[nameIn(headers, name) ?? name] = value
  }
  for (const { meaning, value } of given) {
    if (meaning === 'bearer') put('Authorization', `Bearer ${value}`)
    if (meaning === 'userAgent') put('User-Agent', value)
    if (meaning === 'cookie' && value.includes('=')) put('Cookie', value)
    if (meaning !== 'header') continue
    const [, name, text] = /^([^:;]+)[:;]\s*([\s\S]*)$/.exec(value) ?? []
    if (name === undefined) throw new UserError('extractor.draft', 'A header of the command has no colon.')
    // `Name:` without a value takes a header of curl's own away
    if (text !== undefined && text !== '') put(name.trim(), text.trim())
  }
  return headers
}

/** `name:password`; only the first colon counts. */
export const splitUser = (text: string): { name: string; password: string } => {
  const at = text.indexOf(':')
  return at < 0 ? { name: text, password: '' } : { name: text.slice(0, at), password: text.slice(at + 1) }
}

/** `name=value` with the value encoded; curl encodes what follows the first `=`, without one all of it. */
const urlencoded = (text: string): string => {
  const at = text.indexOf('=')
  return at <= 0
    ? encodeURIComponent(text.slice(at + 1))
    : `${text.slice(0, at)}=${encodeURIComponent(text.slice(at + 1))}`
}

const leftOutOf = (given: readonly Given[], rest: string): string[] => {
  const names = new Set(given.filter(({ meaning }) => meaning === 'leftOut').map(({ name }) => name))
  const cookieFile = given.find(({ meaning, value }) => meaning === 'cookie' && !value.includes('='))
  return [
    ...(names.size === 0 ? [] : [`Options of curl: ${[...names].join(', ')}.`]),
    ...(cookieFile === undefined ? [] : [`The file of cookies ${cookieFile.value}.`]),
    ...(rest === '' ? [] : ['What follows the command: a pipe or a redirection.']),
  ]
}
