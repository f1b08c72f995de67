import { isObject } from '#lib/extractor/php/php-values.ts'
import type { Json, JsonObject } from '#lib/extractor/tables/json-value.ts'
import type { Report } from '../report.ts'

interface ImportedErrors {
  retryConfig: JsonObject
  rules: JsonObject[]
}

const actions: Readonly<Record<string, string>> = {
  IGNORE: 'ignore',
  FAIL: 'fail',
  RETRY: 'retry',
  RATE_LIMITED: 'retry',
  REFRESH_TOKEN_THEN_RETRY: 'login',
}

/** `api.http.errorRules` and `api.retryConfig` for an error handler of a requester. */
export const errorsOf = (given: Json | undefined, path: string, report: Report): ImportedErrors => {
  if (!isObject(given)) return { retryConfig: {}, rules: [] }
  if (given['type'] === 'CompositeErrorHandler') {
    const all = [given['error_handlers']]
      .flat()
      .map((one, index) => errorsOf(one, `${path}.error_handlers.${index}`, report))
    return {
      retryConfig: Object.assign({}, ...all.map(one => one.retryConfig)),
      rules: all.flatMap(({ rules }) => rules),
    }
  }
  if (given['type'] !== 'DefaultErrorHandler') {
    report.lost(path, `an error handler of the type ${String(given['type'])}`)
    return { retryConfig: {}, rules: [] }
  }
  const retries = Number(given['max_retries'])
  const wait = waitOf(given['backoff_strategies'], `${path}.backoff_strategies`, report)
  const filters = [given['response_filters'] ?? []].flat().filter(isObject)
  const rules = filters.flatMap((filter, index) =>
    ruleOf(filter, `${path}.response_filters.${index}`, wait.seconds, report),
  )
  return {
    retryConfig: { ...(Number.isInteger(retries) ? { maxRetries: retries } : {}), ...wait.retryConfig },
    rules,
  }
}

const ruleOf = (filter: JsonObject, path: string, wait: number | undefined, report: Report): JsonObject[] => {
  const action = actions[String(filter['action'] ?? 'FAIL')]
  const codes = [filter['http_codes'] ?? []].flat().map(Number)
  const text = filter['error_message_contains']
  if (filter['predicate'] !== undefined) {
    report.lost(`${path}.predicate`, 'a condition of Jinja')
    return []
  }
  if (action === undefined) {
    report.lost(`${path}.action`, `the action ${String(filter['action'])}`)
    return []
  }
  if (codes.length === 0 && typeof text !== 'string') return []
  return [
    {
      when: {
        ...(codes.length === 0 ? {} : { status: codes }),
        ...(typeof text === 'string' ? { body: { contains: text } } : {}),
      },
      do: action,
      ...(action === 'retry' && wait !== undefined ? { wait } : {}),
      ...(typeof filter['error_message'] === 'string' && !filter['error_message'].includes('{{')
        ? { message: filter['error_message'] }
        : {}),
    },
  ]
}

const waitOf = (
  given: Json | undefined,
  path: string,
  report: Report,
): { seconds?: number; retryConfig: JsonObject } => {
  const found: { seconds?: number; retryConfig: JsonObject } = { retryConfig: {} }
  for (const [index, strategy] of [given ?? []].flat().filter(isObject).entries()) {
    const seconds = Number(strategy['backoff_time_in_seconds'])
    const isHeader = /^Wait(Until)?TimeFromHeader$/.test(String(strategy['type']))
    if (strategy['type'] === 'ConstantBackoffStrategy' && seconds > 0) found.seconds = seconds
    else if (isHeader) found.retryConfig['http'] = { retryHeader: String(strategy['header']) }
    // Ours grows by itself
    else if (strategy['type'] !== 'ExponentialBackoffStrategy')
      report.lost(`${path}.${index}`, `the wait of ${String(strategy['type'])}`)
  }
  return found
}
