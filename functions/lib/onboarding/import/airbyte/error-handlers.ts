import type { Expression } from '#lib/extractor/values/functions/expression/expression-tree.ts'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import type { Report } from '../report.ts'
import { pathIn } from '../translate.ts'
import { readText, type Scope } from './values.ts'

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

/** `errorRules` and `api.retryConfig` for an error handler of a requester. */
export const errorsOf = (given: Json | undefined, path: string, scope: Scope): ImportedErrors => {
  const { report } = scope
  if (!isObject(given)) return { retryConfig: {}, rules: [] }
  if (given['type'] === 'CompositeErrorHandler') {
    const all = [given['error_handlers']]
      .flat()
      .map((one, index) => errorsOf(one, `${path}.error_handlers.${index}`, scope))
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
    rulesOf(filter, `${path}.response_filters.${index}`, wait.seconds, scope),
  )
  return {
    retryConfig: { ...(Number.isInteger(retries) ? { maxRetries: retries } : {}), ...wait.retryConfig },
    rules,
  }
}

/** A rule for each of the things that a filter looks at: one that holds is enough. */
const rulesOf = (filter: JsonObject, path: string, wait: number | undefined, scope: Scope): JsonObject[] => {
  const { report } = scope
  const action = actions[String(filter['action'] ?? 'FAIL')]
  if (action === undefined) {
    report.lost(`${path}.action`, `the action ${String(filter['action'])}`)
    return []
  }
  const codes = [filter['http_codes'] ?? []].flat().map(Number)
  const text = filter['error_message_contains']
  const given = filter['predicate']
  const condition =
    typeof given === 'string'
      ? readText(given, `${path}.predicate`, { ...scope, names: { response: 'response' } })
      : undefined
  const bodies = condition === undefined ? [] : bodiesOf(condition)
  if (bodies === undefined) report.lost(`${path}.predicate`, `no rule can say ${String(given)}`)
  const tests: JsonObject[] = [
    ...(codes.length === 0 ? [] : [{ status: codes }]),
    ...(typeof text === 'string' ? [{ body: { contains: text } }] : []),
    ...(bodies ?? []).map(body => ({ status: ['2xx', '3xx', '4xx', '5xx'], body })),
  ]
  return tests.map(when => ({
    when,
    do: action,
    ...(action === 'retry' && wait !== undefined ? { wait } : {}),
    ...(typeof filter['error_message'] === 'string' && !filter['error_message'].includes('{{')
      ? { message: filter['error_message'] }
      : {}),
  }))
}

/** Values of the body, of which one is enough; nothing for what such tests cannot say. */
const bodiesOf = (condition: Expression): JsonObject[] | undefined => {
  if (condition.kind !== 'binary') return undefined
  const { operator, left, right } = condition
  if (operator === 'or') {
    const [one, other] = [bodiesOf(left), bodiesOf(right)]
    return one && other && [...one, ...other]
  }
  const [inLeft, inRight] = [pathIn(left, 'response'), pathIn(right, 'response')]
  if (operator === '==' && inLeft !== undefined && right.kind === 'value') return equalTo(inLeft, right.value)
  if (operator === 'in' && inLeft !== undefined && right.kind === 'value') return equalTo(inLeft, right.value)
  if (operator === 'in' && inRight !== undefined && left.kind === 'value' && typeof left.value === 'string')
    return [{ path: inRight, contains: left.value }]
  return undefined
}

const equalTo = (path: string, value: Json): JsonObject[] | undefined =>
  [value].flat().some(one => one === null || typeof one === 'object') ? undefined : [{ path, equals: value }]

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
