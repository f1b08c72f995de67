import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { Attributes, flattened } from '../attributes.ts'
import type { ImportedSource, ImportedStream } from '../imported-source.ts'
import type { Report } from '../report.ts'
import { authenticationOf } from './authenticators.ts'
import { errorsOf } from './error-handlers.ts'
import { resolveManifest } from './resolve-manifest.ts'
import { streamsOf } from './streams.ts'
import { expressionOf, type Scope } from './values.ts'

/** Of the manifest as a whole: nothing of them concerns an extraction. */
const ofManifest = [
  'type',
  'version',
  'check',
  'definitions',
  'streams',
  'spec',
  'schemas',
  'metadata',
  'description',
  'api_budget',
  'concurrency_level',
]

/** Reads a declarative manifest of Airbyte (its page "YAML Reference"). `settings`: the configuration of a source. */
export const readAirbyte = (manifest: JsonObject, settings: JsonObject, report: Report): ImportedSource => {
  report.unread(manifest, 'manifest', ofManifest)
  const resolved = resolveManifest(manifest, report)
  const { secrets, defaults, optional, declared } = specOf(manifest)
  const attributes = new Attributes({ ...defaults, ...flattened(settings) }, secrets, optional, declared)
  const open = { attributes, report }
  const scope = { ...open, partition: new Map() }
  const streams = [resolved['streams'] ?? []].flat().filter(isObject)
  const all = withParents(streams)
  const whole = readWhole(all)

  const baseUrl = baseOf(all, scope)
  const authenticated = all.find(({ stream }) => isObject(requesterOf(stream)['authenticator']))
  const authenticator = requesterOf(authenticated?.stream)['authenticator']
  const authentication = authenticationOf(
    authenticator,
    `${authenticated?.path}.retriever.requester.authenticator`,
    scope,
  )
  const retryConfig: JsonObject = {}
  const read: ImportedStream[] = []
  for (const { stream, path } of all) {
    const requester = requesterOf(stream)
    const at = `${path}.retriever.requester`
    const own = requester['authenticator']
    const errors = errorsOf(requester['error_handler'], `${at}.error_handler`, scope)
    const made = streamsOf(stream, path, baseUrl, { ...open, wholeFor: whole.get(String(stream['name'])) })
    if (made.length === 0) continue
    const login: JsonObject | false | undefined =
      JSON.stringify(own) === JSON.stringify(authenticator)
        ? undefined
        : ownLogin(own, `${at}.authenticator`, scope, authentication)
    for (const [key, value] of Object.entries(errors.retryConfig)) {
      const other = retryConfig[key]
      if (other !== undefined && JSON.stringify(other) !== JSON.stringify(value))
        report.lost(`${at}.error_handler`, `${key} is that of the last stream that has any, for all streams`)
      retryConfig[key] = value
    }
    read.push(...made.map(job => ({ ...job, errorRules: errors.rules, authentication: login })))
  }
  return {
    baseUrl,
    authentication,
    attributes: attributes.values,
    headers: {},
    limits: budgetOf(manifest, report),
    retryConfig,
    streams: read,
  }
}

/** Credentials of one stream. Basic ones are of the whole configuration, of which there is one. */
const ownLogin = (
  given: Json | undefined,
  path: string,
  scope: Scope,
  shared: JsonObject | undefined,
): JsonObject | false | undefined => {
  const before = { ...scope.attributes.values }
  const own = authenticationOf(given, path, scope) ?? false
  if (JSON.stringify(own) === JSON.stringify(shared ?? false)) return undefined
  if (own === false || own['type'] !== 'basic' || before['username'] === undefined) return own
  Object.assign(scope.attributes.values, before)
  scope.report.lost(path, 'a second name and password: all streams log in with the first', 'rows')
  return undefined
}

const requesterOf = (stream: JsonObject | undefined): JsonObject => {
  const retriever = stream?.['retriever']
  const requester = isObject(retriever) ? retriever['requester'] : undefined
  return isObject(requester) ? requester : {}
}

/** The base address that the first stream has whose address is known; of a whole address its origin. */
const baseOf = (all: readonly Placed[], scope: Scope): Json => {
  for (const { stream, path } of all) {
    const requester = requesterOf(stream)
    const given = String(requester['url_base'] ?? requester['url'] ?? '')
    if (given === '') continue
    const at = `${path}.retriever.requester.url_base`
    const read = expressionOf(given, at, scope, 'rows')
    if (typeof read !== 'string') {
      if (isObject(read) && requester['url_base'] !== undefined) return read
      continue
    }
    if (requester['url_base'] !== undefined && !read.includes('?')) return read
    const origin = /^https?:\/\/[^/?#{]+/.exec(read)?.[0]
    if (origin !== undefined) return origin
  }
  return ''
}

/** Streams whose children are read for all of their rows: those are asked for in each run, and not only what has changed. */
const readWhole = (all: readonly Placed[]): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const { stream } of all)
    for (const config of parentConfigsOf(stream)) {
      const parent = isObject(config['stream']) ? config['stream']['name'] : undefined
      if (config['incremental_dependency'] !== true && parent !== undefined)
        found.set(String(parent), String(stream['name']))
    }
  return found
}

const parentConfigsOf = (stream: JsonObject): JsonObject[] => {
  const retriever = isObject(stream['retriever']) ? stream['retriever'] : {}
  const routers = [retriever['partition_router'] ?? []].flat().filter(isObject)
  return routers.flatMap(router => [router['parent_stream_configs'] ?? []].flat().filter(isObject))
}

interface Placed {
  stream: JsonObject
  path: string
}

/** Parents of streams too: they are read for their rows, also when they are not among the streams. */
const withParents = (streams: readonly JsonObject[]): Placed[] => {
  const found = new Map<string, Placed>()
  const add = (stream: JsonObject, path: string): void => {
    const name = String(stream['name'] ?? path)
    if (found.has(name)) return
    found.set(name, { stream, path })
    for (const config of parentConfigsOf(stream))
      if (isObject(config['stream'])) add(config['stream'], `${path}.retriever.partition_router.parent`)
  }
  for (const [index, stream] of streams.entries()) add(stream, `streams.${index}`)
  return [...found.values()]
}

/** Which settings are secret, and what they are without being set. */
const specOf = (
  manifest: JsonObject,
): { secrets: string[]; defaults: Record<string, Json>; optional: string[]; declared: string[] } => {
  const declared: string[] = []
  const optional: string[] = []
  const secrets: string[] = []
  const defaults: Record<string, Json> = {}
  const walk = (schema: Json | undefined, path: readonly string[]): void => {
    if (!isObject(schema) || path.length > 5) return
    const name = path.join('.')
    declared.push(name)
    if (schema['airbyte_secret'] === true) secrets.push(name)
    if (schema['default'] !== undefined) defaults[name] = schema['default']
    const inner = isObject(schema['properties']) ? schema['properties'] : {}
    const required = [schema['required'] ?? []].flat()
    for (const [key, value] of Object.entries(inner)) {
      if (!required.includes(key)) optional.push([...path, key].join('.'))
      walk(value, [...path, key])
    }
    for (const variant of [schema['oneOf'] ?? []].flat()) walk(variant, path)
  }
  const spec = isObject(manifest['spec']) ? manifest['spec'] : {}
  walk(spec['connection_specification'] ?? spec['connectionSpecification'], [])
  return { secrets, defaults, optional, declared }
}

/** `budget` and `maxConcurrency` of `api.http` for the limits of a manifest. */
const budgetOf = (manifest: JsonObject, report: Report): JsonObject => {
  const concurrency = isObject(manifest['concurrency_level']) ? manifest['concurrency_level'] : {}
  const level = concurrency['default_concurrency']
  if (level !== undefined && typeof level !== 'number')
    report.lost('concurrency_level', 'a number that is not fixed')
  const budget = isObject(manifest['api_budget']) ? manifest['api_budget'] : {}
  const [policy, ...others] = [budget['policies'] ?? []].flat().filter(isObject)
  if (others.length > 0)
    report.lost('api_budget.policies', 'only the first of several limits is taken, for all requests')
  const rates = [policy?.['rates'] ?? []].flat().filter(isObject)
  const [rate = {}] = rates
  if (rates.length > 1) report.lost('api_budget.policies.0.rates', 'only the first of several rates is taken')
  const requests = Number(policy?.['call_limit'] ?? rate['limit'])
  const seconds = secondsOf(policy?.['period'] ?? rate['interval'])
  const isKnown = requests > 0 && seconds !== undefined
  if (policy !== undefined && !isKnown)
    report.lost('api_budget.policies.0', 'a limit without a fixed number and time')
  return {
    ...(isKnown ? { budget: { requests, seconds } } : {}),
    ...(typeof level === 'number' ? { maxConcurrency: level } : {}),
  }
}

/** Of `PT1M`, `P1D` and the like. */
const secondsOf = (duration: Json | undefined): number | undefined => {
  const [, days, hours, minutes, seconds] =
    /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(String(duration)) ?? []
  const total =
    Number(days ?? 0) * 86_400 + Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)
  return total > 0 ? total : undefined
}
