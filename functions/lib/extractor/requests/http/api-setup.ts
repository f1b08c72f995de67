import { UserError } from '#lib/errors/errors.ts'
import type { Json } from '#lib/json/json-value.ts'
import type { ExtractorConfig } from '../../config/parse-config.ts'
import { type EvaluateValues, evaluate } from '../../values/functions/evaluate.ts'
import { isEmpty } from '../../values/php/php-values.ts'
import type { Log } from '../masking/masker.ts'
import { checkHeaders, type Headers, setHeaders } from './outgoing-request.ts'

type Api = ExtractorConfig['api']

/**
 * `api.baseUrl`: an address, a value expression, or (deprecated) an expression as JSON text.
 *
 * @throws UserError `extractor.config.baseUrl`
 */
export const resolveBaseUrl = (
  baseUrl: Api['baseUrl'],
  attributes: Json,
  now: () => number,
  log: Log,
): string => {
  if (typeof baseUrl === 'string' && isHttpUrl(baseUrl)) return baseUrl
  const context = { attr: attributes }
  const settings = { path: 'api.baseUrl', now: Math.floor(now()) }
  if (typeof baseUrl !== 'string') return checked(evaluate(baseUrl, context, settings))
  let expression: unknown
  try {
    expression = JSON.parse(baseUrl)
  } catch (cause) {
    throw new UserError(
      'extractor.config.baseUrl',
      `The 'baseUrl' attribute in API configuration is not a valid URL`,
      { cause },
    )
  }
  log.warning('Passing json-encoded baseUrl is deprecated.')
  return checked(evaluate(expression, context, settings))
}

const checked = (value: Json): string => {
  if (typeof value === 'string' && isHttpUrl(value)) return value
  throw new UserError(
    'extractor.config.baseUrl',
    `The "baseUrl" attribute in API configuration resulted in an invalid URL (${typeof value === 'string' ? value : JSON.stringify(value)})`,
  )
}

const isHttpUrl = (text: string): boolean => /^https?:\/\/[^/]/i.test(text) && URL.canParse(text)

/**
 * Headers of every request, the login too: `api.http.headers`, overlaid by `config.http.headers`
 * (docs/reference/extractor.md#api).
 *
 * @throws UserError for a header of `requiredHeaders` that the config leaves empty
 */
export const resolveDefaultHeaders = (
  api: Api,
  config: ExtractorConfig['runs'][number]['config'],
  attributes: Json,
  evaluateValues: EvaluateValues,
): Headers => {
  const own = config.http?.headers ?? {}
  for (const name of api.http?.requiredHeaders ?? []) {
    if (!Object.hasOwn(own, name) || isEmpty(own[name])) {
      throw new UserError(
        'extractor.config.requiredHeaders',
        `Missing required header ${name} in 'config.http.headers'.`,
      )
    }
  }
  const all = { ...api.http?.headers, ...own }
  const values = evaluateValues(all, { attr: attributes }, 'http.headers', { skipLists: true })
  return setHeaders({}, checkHeaders(values)) // one of a name, however it is written
}
