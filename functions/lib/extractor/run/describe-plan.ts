import type { Json } from '../../json/json-value.ts'
import { isObject } from '../../json/json-value.ts'
import type { Authentication } from '../config/authentication-schema.ts'
import { checkShape } from '../config/check-shape.ts'
import { windowsOf } from '../config/incremental-schema.ts'
import type { Job } from '../config/job-schema.ts'
import { type ExtractorConfig, parseConfig } from '../config/parse-config.ts'
import type { ReportSettings } from '../config/report-schema.ts'
import { WindowProgress } from '../paging/windows/window-progress.ts'
import { createAuthenticator } from '../requests/authentication/create-authenticator.ts'
import { resolveBaseUrl, resolveDefaultHeaders } from '../requests/http/api-setup.ts'
import { type Headers, type OutgoingRequest, toOutgoing } from '../requests/http/outgoing-request.ts'
import type { PageRequest, RequestOptions } from '../requests/http/page-request.ts'
import { createRefreshTokens } from '../requests/http/refresh-tokens.ts'
import { createLog } from '../requests/masking/log.ts'
import { maskError } from '../requests/masking/mask-error.ts'
import { createMasker, type Masker } from '../requests/masking/masker.ts'
import { credentialsOf, secretFields, secretsOf } from '../requests/masking/secrets-of.ts'
import { checkLoads } from '../tables/table-loads.ts'
import { createEvaluateValues } from '../values/functions/evaluate-values.ts'
import { toText } from '../values/php/php-values.ts'
import { parseQuery } from '../values/php/query.ts'
import { describeLogin } from './describe-login.ts'
import { describeChildWindows, describeWindows, firstRun } from './describe-windows.ts'
import { forecastJob, forecastRun, type KnownRequests, knownRequests, readLastRun } from './forecast.ts'
import { createHighWaterMarks } from './high-water-marks.ts'
import { iterationNames } from './iteration-names.ts'
import type { JobContext } from './job-context.ts'
import { type JobPlan, planJobs } from './job-plan.ts'
import { reportDefaults } from './make-report.ts'
import { createRunStatistics } from './run-statistics.ts'
import { readState } from './state.ts'

interface DescribePlanOptions {
  config: unknown
  state?: unknown
  /** What the last run that ended well had needed, as `LastRun`. Of another form: as if there were none. */
  lastRun?: unknown
  compat?: boolean
  now: () => number
}

/**
 * The first request of each job as text, with the origin of every header and parameter, and a forecast of requests and time. Sends nothing, so what a login
 * or a parent row would give is shown by its name. Secrets are masked.
 *
 * @throws UserError as an extraction would at its start
 */
export const describePlan = async (options: DescribePlanOptions): Promise<string> => {
  checkShape(options.config)
  const masker = createMasker(secretsOf(options.config).values())
  try {
    const parsed = parseConfig(options.config, options.compat === undefined ? {} : { compat: options.compat })
    checkLoads(parsed)
    const parts = await Promise.all(
      parsed.runs.map((_, index) => describeIteration(parsed, index, options, masker)),
    )
    const known = parts.flatMap(part => part.known)
    const forecast = forecastRun({ known, api: parsed.api, last: readLastRun(options.lastRun) })
    return [...parts.map(({ text }) => text), forecast.join('\n')].join('\n\n')
  } catch (error) {
    throw maskError(error, masker)
  }
}

const describeIteration = async (
  parsed: ExtractorConfig,
  index: number,
  { now, state, lastRun }: DescribePlanOptions,
  masker: Masker,
): Promise<{ text: string; known: KnownRequests[] }> => {
  const { api, file, compat } = parsed
  const { config, attributes: raw } = parsed.runs[index] ?? { config: file.parameters.config, attributes: {} }
  const attributes = raw as Record<string, Json> // parsed from JSON
  const log = createLog(() => {}, masker, false)
  const evaluate = createEvaluateValues(now)
  const baseUrl = resolveBaseUrl(api.baseUrl, attributes, now, log)
  const defaultHeaders = resolveDefaultHeaders(api, config, attributes, evaluate)
  const context = planContext(parsed, index, { state, now, evaluate, log, masker })
  const describeLoginOf = (authentication: Authentication | undefined, where: string) => {
    const login = describeLogin(authentication, where, Object.keys(defaultHeaders))
    const authenticator = createAuthenticator({
      file,
      // The rest of the authentication, such as an AWS signature, without the login itself
      authentication: login === undefined ? authentication : undefined,
      attributes,
      evaluate,
      masker,
      now,
      send: async () => Buffer.from('{}'), // never asked: logins are described, not made
      refreshTokens: createRefreshTokens(undefined, async () => {}),
    })
    return { login, authenticator }
  }
  const ofApi = describeLoginOf(api.authentication, 'api.authentication')

  const isSecretField = secretFields(api, { config, attributes })

  const last = readLastRun(lastRun)
  const prefix = parsed.runs.length > 1 ? `${index}/` : ''
  const known: KnownRequests[] = []
  const forecast = (plan: JobPlan, parent: JobPlan | undefined, windows?: number): string[] => {
    const requests = knownRequests({ plan, parent, windows, pagination: api.pagination, isBounded: !compat })
    known.push(requests)
    return forecastJob({ plan, prefix, requests, last, mask: masker.mask })
  }

  const describeTop = async (plan: JobPlan): Promise<string[]> => {
    const first = firstRun(plan, context)
    const job = `  job jobs.${plan.path} -> ${plan.dataType}`
    if (first === undefined)
      return [
        `${plan.job.endpoint}: ${plan.job.each ? 'a list is empty, or ' : ''}all windows have been read`,
        job,
      ]
    const unsigned = toOutgoing(first.request, baseUrl, defaultHeaders, { lists: parsed.api.http?.lists })
    const own = plan.job.authentication
    const { login, authenticator } =
      own === undefined ? ofApi : describeLoginOf(own || undefined, `jobs.${plan.path}.authentication`)
    const { request } = await authenticator.sign(unsigned)
    const layers: Layer[] = [
      ['api.http.headers', api.http?.headers],
      ['config.http.headers', config.http?.headers],
      ['api.http.defaultOptions.headers', api.http?.defaultOptions?.headers],
      [`jobs.${plan.path}.headers`, plan.job.headers],
    ]
    masker.addPassing(credentialsOf(request, isSecretField))
    return [
      ...(own === undefined ? [] : (login?.lines ?? [])),
      `${request.method} ${request.url.href}`,
      job,
      ...describeLists(plan),
      ...describeWindows(plan, first),
      ...describeHeaders(unsigned.headers, request.headers, layers),
      ...(login?.headers ?? []),
      ...describeParams(first.request, unsigned, request, plan, context),
      ...(login?.params ?? []),
      ...describeRules(plan),
      ...describeReport(plan.job.report),
      ...(plan.job.body === undefined ? [] : [`  body: ${unsigned.body} (jobs.${plan.path}.body)`]),
      ...forecast(plan, undefined, first.sets * (first.windows?.count ?? 1)),
    ].map(masker.mask)
  }

  const lines: string[] = []
  if (parsed.runs.length > 1) lines.push(`Iteration ${index}`)
  lines.push(...(ofApi.login?.lines ?? []))
  for (const plan of planJobs(config.jobs, { compatLevel: Number(config.compatLevel ?? 3), compat })) {
    const children = plan.children.flatMap(child => describeChild(child, plan, forecast))
    lines.push(...(await describeTop(plan)), ...children)
  }
  return { text: masker.mask(lines.join('\n')), known }
}

/** What the jobs of an iteration see before anything is asked. */
const planContext = (
  { api, file, runs }: ExtractorConfig,
  index: number,
  given: Pick<DescribePlanOptions, 'state' | 'now'> &
    Pick<JobContext, 'evaluate' | 'log'> & { masker: Masker },
): JobContext => {
  const { config, attributes } = runs[index] ?? { config: file.parameters.config, attributes: {} }
  const { now, evaluate, log } = given
  const input = readState(given.state)
  return {
    config,
    attributes: attributes as Record<string, Json>, // parsed from JSON
    time: { previousStart: input.previousStart, currentStart: Math.floor(now()) },
    pagination: api.pagination,
    response: api.response,
    itemsFolder: '', // nothing is sent
    defaults: (api.http?.defaultOptions ?? {}) as RequestOptions, // values of a configuration are JSON
    evaluateEverywhere: api.http?.evaluate === true,
    evaluate,
    checks: undefined,
    silence: undefined,
    windows: new WindowProgress(input.windows),
    iterationName: iterationNames(file.parameters.iterations, given.masker)[index] ?? '',
    marks: createHighWaterMarks(input.highWaterMarks, {}, now),
    statistics: createRunStatistics(''),
    log,
    now,
    maxRows: undefined,
  }
}

type Layer = [origin: string, headers: object | undefined]

const describeHeaders = (unsigned: Headers, signed: Headers, layers: readonly Layer[]): string[] =>
  Object.entries(signed).map(([name, value]) => {
    const lower = name.toLowerCase()
    const before = Object.entries(unsigned).find(([other]) => other.toLowerCase() === lower)
    if (before === undefined || String(before[1]) !== String(value))
      return `  header ${name}: *** (authentication)`
    const layer = layers.findLast(([, headers]) =>
      Object.keys(headers ?? {}).some(other => other.toLowerCase() === lower),
    )
    return `  header ${name}: ${value} (${layer?.[0] ?? 'method'})`
  })

const describeParams = (
  page: PageRequest,
  unsigned: OutgoingRequest,
  signed: OutgoingRequest,
  plan: JobPlan,
  { defaults, pagination }: JobContext,
): string[] => {
  const own: object = plan.job.params ?? {}
  const lines = Object.entries(page.params).map(([name, value]) => {
    const given = Object.hasOwn(own, name)
      ? JSON.stringify(Object.entries(own).find(([key]) => key === name)?.[1])
      : undefined
    const text = isObject(value) || Array.isArray(value) ? JSON.stringify(value) : toText(value)
    const isOwn = given !== undefined && (given.startsWith('{') || JSON.stringify(value) === given)
    const isQuery = plan.job.graphql !== undefined && ['query', 'variables'].includes(name)
    const origin = isQuery
      ? `jobs.${plan.path}.graphql`
      : isOwn
        ? `jobs.${plan.path}.params`
        : isOfIncremental(name, plan.job)
          ? 'incremental'
          : given === undefined && Object.hasOwn(defaults.params ?? {}, name)
            ? 'api.http.defaultOptions.params'
            : `pagination ${pagination?.method ?? ''}`
    return `  param ${name}: ${text} (${origin})`
  })
  const before = parseQuery(unsigned.url.target.split('?')[1] ?? '')
  const after = parseQuery(signed.url.target.split('?')[1] ?? '')
  const added = Object.keys(after).filter(
    name => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  return [...lines, ...added.map(name => `  param ${name}: *** (authentication)`)]
}

const isOfIncremental = (name: string, job: Job): boolean =>
  name === job.incremental?.param || name === windowsOf(job)?.until

const describeChild = (
  plan: JobPlan,
  parent: JobPlan,
  forecast: (plan: JobPlan, parent: JobPlan) => string[],
): string[] => {
  const { job } = plan
  const filter = job.recursionFilter ? ` where ${job.recursionFilter}` : ''
  return [
    `${sendsPost(job) ? 'POST' : 'GET'} ${job.endpoint} (for each row of ${parent.dataType}${filter})`,
    `  job jobs.${plan.path} -> ${plan.dataType}`,
    ...Object.entries(job.placeholders ?? {}).map(
      ([name, path]) => `  placeholder ${name}: ${typeof path === 'string' ? path : path.path}`,
    ),
    ...describeLists(plan),
    ...Object.entries(job.params ?? {}).map(
      ([name, value]) => `  param ${name}: ${JSON.stringify(value)} (jobs.${plan.path}.params)`,
    ),
    ...(job.authentication === undefined
      ? []
      : [
          `  authentication: ${job.authentication ? job.authentication.type : 'none'} (jobs.${plan.path}.authentication)`,
        ]),
    ...describeChildWindows(plan),
    ...describeRules(plan),
    ...describeReport(job.report),
    ...forecast(plan, parent),
    ...plan.children.flatMap(child => describeChild(child, plan, forecast)),
  ]
}

const sendsPost = ({ body, graphql, method = 'GET' }: JobPlan['job']): boolean =>
  body !== undefined || graphql !== undefined || method !== 'GET'

const describeLists = ({ job: { each = {} } }: JobPlan): string[] =>
  Object.entries(each).map(
    ([name, values]) =>
      `  each ${name}: ${Array.isArray(values) ? `${values.length} values` : JSON.stringify(values)}`,
  )

const describeRules = ({ job: { errorRules = [] }, path }: JobPlan): string[] =>
  errorRules.length === 0
    ? []
    : [`  error rules: ${errorRules.map(rule => rule.do).join(', ')} (jobs.${path}.errorRules)`]

const describeReport = (settings: ReportSettings | undefined): string[] => {
  if (settings === undefined) return []
  const { poll, download, status, ready } = settings
  const { interval, maxWait } = { ...reportDefaults, ...settings }
  const method = ({ method = 'GET' }: { method?: string | undefined }): string =>
    method === 'GET' ? 'GET' : 'POST'
  return [
    `  report: ${method(poll)} ${poll.endpoint} until "${status}" is ${ready.join(' or ')}, first after ${interval} s, for at most ${maxWait} s`,
    `  report: ${method(download)} ${download.endpoint}`,
  ]
}
