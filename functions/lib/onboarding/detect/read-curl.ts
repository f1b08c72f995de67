import { UserError } from '#lib/errors/errors.ts'
import { headerOf, type KnownRequest } from './known-request.ts'
import { readBody, readPairs, takeAddress } from './request-parts.ts'
import { splitWords } from './shell-words.ts'

interface CurlCommand {
  request: KnownRequest
  /** What the command says about connections: keys of `api.http` and `api.retryConfig`. */
  limits: { connectTimeout?: number; requestTimeout?: number; maxRetries?: number }
  /** What of the command is not in the request, in sentences. */
  leftOut: string[]
}

type Given = { meaning: CurlOption; name: string; value: string }

/**
 * Reads a curl command. Options that only change what curl prints are left out and named, as are those that are not known.
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
  const { given, unknown } = readOptions(args)
  const values = (meaning: CurlOption): string[] =>
    given.filter(one => one.meaning === meaning).map(({ value }) => value)
  const last = (meaning: CurlOption): string | undefined => values(meaning).at(-1)

  const refused = given.find(({ meaning }) => meaning === 'refused')
  if (refused !== undefined) throw unusable(`what ${refused.name} of curl asks for`)
  const [address, ...others] = values('address')
  if (address === undefined) throw new UserError('extractor.draft', 'The curl command has no address.')
  if (others.length > 0)
    throw new UserError(
      'extractor.draft',
      unknown.length > 0
        ? `The command has several addresses, or ${unknown.join(', ')} takes a value: these options are not known.`
        : `The command asks for ${others.length + 1} addresses. Give one.`,
    )

  const { url, query, user: inAddress } = takeAddress(address)
  const headers = readHeaders(given)
  const json = values('jsonBody')
  const pieces = [...values('body'), ...values('urlencodedBody').map(urlencoded)]
  for (const text of [...pieces, ...json])
    if (text.startsWith('@'))
      throw new UserError(
        'extractor.draft',
        `The body is read from a file (${text}). Write its content into the command.`,
      )
  const isQuery = given.some(({ meaning }) => meaning === 'bodyAsQuery')
  const asQuery = [...values('query').map(urlencoded), ...(isQuery ? pieces : [])].join('&')
  Object.assign(query, readPairs(asQuery))
  const bodyText = isQuery ? undefined : pieces.length > 0 ? pieces.join('&') : json.join('') || undefined
  const body =
    bodyText === undefined
      ? undefined
      : readBody(bodyText, json.length > 0 ? 'application/json' : headerOf(headers, 'content-type'))
  const method = (last('method') ?? (body === undefined ? 'GET' : 'POST')).toUpperCase()
  if (method !== 'GET' && method !== 'POST') throw unusable(`a request with ${method}`)
  if (method === 'GET' && body !== undefined) throw unusable('a GET with a body')
  const basic = last('user')
  const user = basic === undefined ? inAddress : credentialsOf(basic)
  return {
    request: {
      method,
      url,
      query,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(user === undefined ? {} : { user }),
    },
    limits: {
      ...seconds('connectTimeout', last('connectTimeout')),
      ...seconds('requestTimeout', last('requestTimeout')),
      ...seconds('maxRetries', last('retries')),
    },
    leftOut: leftOutOf(given, unknown, rest),
  }
}

const unusable = (what: string): UserError =>
  new UserError('extractor.draft', `A configuration of the extractor has no way to write ${what}.`)

const readOptions = (args: readonly string[]): { given: Given[]; unknown: string[] } => {
  const given: Given[] = []
  const unknown: string[] = []
  const words = [...args]
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (!word.startsWith('-') || word === '-') {
      given.push({ meaning: 'address', name: '', value: word })
      continue
    }
    const isShort = !word.startsWith('--')
    const name = isShort ? word.slice(0, 2) : word
    const option = curlOptions.get(name)
    const attached = isShort ? word.slice(2) : ''
    if (option === undefined) unknown.push(name)
    if (option === undefined || !option.takesValue) {
      if (option !== undefined) given.push({ meaning: option.meaning, name, value: '' })
      // `-sSL`: each character is an option
      if (attached !== '') words.unshift(`-${attached}`)
      continue
    }
    const value = attached === '' ? words.shift() : attached
    if (value === undefined)
      throw new UserError('extractor.draft', `${name} of the curl command has no value.`)
    given.push({ meaning: option.meaning, name, value })
  }
  return { given, unknown }
}

const readHeaders = (given: readonly Given[]): Record<string, string> => {
  const headers: Record<string, string> = {}
  const put = (name: string, value: string): void => {
    const known = Object.keys(headers).find(each => each.toLowerCase() === name.toLowerCase())
    headers[known ?? name] = value
  }
  for (const { meaning, value } of given) {
    if (meaning === 'bearer') put('Authorization', `Bearer ${value}`)
    if (meaning === 'userAgent') put('User-Agent', value)
    if (meaning === 'referer') put('Referer', value)
    if (meaning === 'cookie' && value.includes('=')) put('Cookie', value)
    if (meaning !== 'header') continue
    const [, name, text] = /^([^:;]+)[:;]\s*([\s\S]*)$/.exec(value) ?? []
    if (name === undefined) throw new UserError('extractor.draft', 'A header of the command has no colon.')
    if (text !== undefined && text !== '') put(name.trim(), text.trim())
  }
  return headers
}

const credentialsOf = (text: string): { name: string; password: string } => {
  const at = text.indexOf(':')
  return at < 0 ? { name: text, password: '' } : { name: text.slice(0, at), password: text.slice(at + 1) }
}

/** curl encodes what stands behind the first `=`; without one, all of it. */
const urlencoded = (text: string): string => {
  const at = text.indexOf('=')
  return at <= 0
    ? encodeURIComponent(text.slice(at + 1))
    : `${text.slice(0, at)}=${encodeURIComponent(text.slice(at + 1))}`
}

const seconds = (key: string, text: string | undefined): Record<string, number> => {
  const number = Number(text)
  return text === undefined || !(number > 0) ? {} : { [key]: Math.ceil(number) }
}

const leftOutOf = (given: readonly Given[], unknown: readonly string[], rest: string): string[] => {
  const names = (meaning: CurlOption): string =>
    [...new Set(given.filter(one => one.meaning === meaning).map(({ name }) => name))].join(', ')
  const cookieFile = given.find(({ meaning, value }) => meaning === 'cookie' && !value.includes('='))
  return [
    ...(names('noEffect') === '' ? [] : [`Options that change only what curl shows: ${names('noEffect')}.`]),
    ...(names('lost') === '' ? [] : [`Options of curl without a key in a configuration: ${names('lost')}.`]),
    ...(cookieFile === undefined ? [] : [`The file of cookies ${cookieFile.value}.`]),
    ...(unknown.length === 0 ? [] : [`Options of curl that are not known here: ${unknown.join(', ')}.`]),
    ...(rest === '' ? [] : ['What follows the command: a pipe or a redirection.']),
  ]
}

/** What an option of curl means for an extraction. */
type CurlOption =
  | 'address'
  | 'method'
  | 'header'
  | 'body'
  | 'urlencodedBody'
  | 'jsonBody'
  | 'query'
  | 'bodyAsQuery'
  | 'user'
  | 'bearer'
  | 'userAgent'
  | 'referer'
  | 'cookie'
  | 'requestTimeout'
  | 'connectTimeout'
  | 'retries'
  | 'refused'
  | 'lost'
  | 'noEffect'

interface Option {
  meaning: CurlOption
  takesValue: boolean
}

const spellings = (meaning: CurlOption, takesValue: boolean, names: string): [string, Option][] =>
  names.split(' ').map(name => [name, { meaning, takesValue }])

/** The options of curl by name ("curl.1 the man page"), as far as they are seen in commands that read an API. */
const curlOptions: ReadonlyMap<string, Option> = new Map([
  ...spellings('address', true, '--url'),
  ...spellings('method', true, '-X --request'),
  ...spellings('header', true, '-H --header'),
  ...spellings('body', true, '-d --data --data-ascii --data-raw --data-binary'),
  ...spellings('urlencodedBody', true, '--data-urlencode'),
  ...spellings('jsonBody', true, '--json'),
  ...spellings('query', true, '--url-query'),
  ...spellings('bodyAsQuery', false, '-G --get'),
  ...spellings('user', true, '-u --user'),
  ...spellings('bearer', true, '--oauth2-bearer'),
  ...spellings('userAgent', true, '-A --user-agent'),
  ...spellings('referer', true, '-e --referer'),
  ...spellings('cookie', true, '-b --cookie'),
  ...spellings('requestTimeout', true, '-m --max-time'),
  ...spellings('connectTimeout', true, '--connect-timeout'),
  ...spellings('retries', true, '--retry'),
  ...spellings('refused', true, '-F --form --form-string -T --upload-file --aws-sigv4'),
  ...spellings('refused', false, '-I --head --digest --ntlm --negotiate'),
  ...spellings(
    'lost',
    true,
    '-x --proxy --proxy-user --cacert --capath -E --cert --key --resolve --interface',
  ),
  ...spellings(
    'lost',
    true,
    '--limit-rate --retry-delay --retry-max-time --max-redirs --connect-to -r --range',
  ),
  ...spellings('lost', false, '-k --insecure --proxy-insecure -n --netrc'),
  ...spellings(
    'noEffect',
    false,
    '-s --silent -S --show-error -L --location -v --verbose -i --include -# --basic',
  ),
  ...spellings(
    'noEffect',
    false,
    '-f --fail --fail-with-body --fail-early --compressed --no-progress-meter -O',
  ),
  ...spellings(
    'noEffect',
    false,
    '-g --globoff -N --no-buffer -4 --ipv4 -6 --ipv6 --progress-bar --tcp-nodelay',
  ),
  ...spellings(
    'noEffect',
    false,
    '--http1.0 --http1.1 --http2 --http2-prior-knowledge --http3 --remote-name -j',
  ),
  ...spellings('noEffect', false, '--path-as-is --tlsv1.2 --tlsv1.3 --styled-output --retry-connrefused -q'),
  ...spellings(
    'noEffect',
    true,
    '-o --output -w --write-out -D --dump-header -c --cookie-jar --stderr --trace',
  ),
])
