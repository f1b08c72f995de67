import { shortDigest } from '../../digests.ts'
import type { Json } from '../../json/json-value.ts'
import type { Authentication } from '../config/authentication-schema.ts'
import type { ExtractorConfig } from '../config/parse-config.ts'
import { createAuthenticator } from '../requests/authentication/create-authenticator.ts'
import { createHostCheck, trustedOrigins } from '../requests/http/address-guard.ts'
import { type ApiSession, createApiSession } from '../requests/http/api-session.ts'
import { resolveBaseUrl, resolveDefaultHeaders } from '../requests/http/api-setup.ts'
import type { Authenticator } from '../requests/http/authenticator.ts'
import { createDispatcher } from '../requests/http/dispatcher.ts'
import { createHttpClient } from '../requests/http/http-client.ts'
import type { RequestOptions } from '../requests/http/page-request.ts'
import { resolveUrl } from '../requests/http/resolve-url.ts'
import { createErrorRules, retrySettings } from '../requests/http/retry-delay.ts'
import { secretColumns, secretFields } from '../requests/masking/secrets-of.ts'
import { createEvaluateValues, type EvaluateValues } from '../values/functions/evaluate.ts'
import { toText } from '../values/php/php-values.ts'
import type { Extraction } from './extraction.ts'
import type { JobContext } from './job-context.ts'
import { allPlans, type JobPlan, planJobs } from './job-plan.ts'
import type { IterationOptions } from './run-sequences.ts'

type Prepared = Omit<IterationOptions, 'onPage'> & { close: () => Promise<void> }

const defaultConcurrency = 8
const defaultBodyLimitBytes = 256 * 1024 * 1024
const defaultConnectTimeoutSeconds = 30
const defaultRequestTimeoutSeconds = 300

/**
 * Everything that one iteration needs: its own connections, headers and login
 * (docs/reference/extractor.md#iterations).
 */
export const prepareIteration = async (extraction: Extraction, index: number): Promise<Prepared> => {
  const { parsed, options, now, log, masker, leg, spool, wait } = extraction
  const { api, file, compat } = parsed
  const run = parsed.runs[index]
  const statistics = extraction.statistics[index]
  if (run === undefined || statistics === undefined) throw new Error(`No iteration ${index}`)
  const { config } = run
  const attributes = run.attributes as Record<string, Json> // parsed from JSON
  const evaluate = createEvaluateValues(now)
  const concurrency = options.concurrency ?? api.http?.maxConcurrency ?? defaultConcurrency

  const baseUrl = resolveBaseUrl(api.baseUrl, attributes, now, log)
  const password = resolveUrl(baseUrl, '').userInfo?.split(':').slice(1).join(':')
  if (password) masker.add(password)
  const requestTimeoutSeconds = api.http?.requestTimeout || defaultRequestTimeoutSeconds
  const dispatcher =
    options.dispatcher ??
    createDispatcher({
      ...options,
      connectTimeoutSeconds: api.http?.connectTimeout || defaultConnectTimeoutSeconds,
      requestTimeoutSeconds,
      caCertificate: api.caCertificate,
      clientCertificate: api['#clientCertificate'] ?? api.clientCertificate,
      connections: concurrency + 1, // a login may be needed while all others are busy
    })
  const { bodyLimitBytes: most = Number.POSITIVE_INFINITY } = options
  const bodyLimitBytes = Math.min(api.http?.bodyLimitBytes || defaultBodyLimitBytes, most)
  const client = createHttpClient({
    dispatcher,
    guard: options.guard === true,
    allowedPrivateHosts: options.allowedPrivateHosts,
    retry: retrySettings(api.retryConfig),
    requestTimeoutSeconds,
    bodyLimitBytes,
    log,
    now,
    wait,
    admission: extraction.admissionFor(resolveUrl(baseUrl, '').origin),
    signal: extraction.abort.signal,
    onRetry: () => leg.retries++,
    witness: options.witness,
    mask: masker.mask,
  })
  const plans = planJobs(config.jobs, { compatLevel: Number(config.compatLevel ?? 3), compat })
  const session = createApiSession({
    client,
    baseUrl,
    defaultHeaders: resolveDefaultHeaders(api, config, attributes, evaluate),
    trusted: trustedOrigins({
      baseUrl,
      logins: [api.authentication, ...[...allPlans(plans)].map(({ job }) => job.authentication || undefined)],
      jobs: config.jobs,
      listed: api.http?.trustedOrigins ?? [],
      evaluate: address => toText(evaluate({ address }, { attr: attributes }, 'authentication')['address']),
    }),
    checkHost: createHostCheck(file.image_parameters?.allowed_hosts),
    ignoreErrors: new Set(api.http?.ignoreErrors),
    ruleFor: createErrorRules(api.http?.errorRules ?? []),
    compat,
    lists: api.http?.lists,
    masker,
    isSecretField: secretFields(api, run),
    log,
    bodyLimitBytes,
    spool,
  })
  const authenticatorOf = createAuthenticators(extraction, index, {
    attributes,
    evaluate,
    login: session.login,
  })
  const context = contextOf(extraction, { run, statistics, evaluate })
  return {
    plans,
    context,
    session,
    authenticatorOf,
    sink: extraction.sinks.of(index),
    stop: extraction.stop,
    wait,
    concurrency,
    close: async () => {
      if (options.dispatcher === undefined) await dispatcher.destroy()
    },
  }
}

/** What the jobs of an iteration share. */
const contextOf = (
  extraction: Extraction,
  {
    run,
    statistics,
    evaluate,
  }: Pick<JobContext, 'statistics' | 'evaluate'> & { run: ExtractorConfig['runs'][number] },
): JobContext => {
  const { parsed, options, now, log, spool } = extraction
  const { api, compat } = parsed
  const { config } = run
  return {
    config,
    attributes: run.attributes as Record<string, Json>, // parsed from JSON
    time: extraction.time,
    pagination: api.pagination,
    response: api.response,
    itemsFolder: spool.items,
    defaults: (api.http?.defaultOptions ?? {}) as RequestOptions, // values of a configuration are JSON
    evaluateEverywhere: api.http?.evaluate === true,
    evaluate,
    marks: extraction.marks,
    isCompat: compat,
    silence: compat || options.maxRows !== undefined ? undefined : (config.silence ?? 'warn'),
    statistics,
    log,
    now,
    maxRows: options.maxRows,
    hidesColumn: options.maxRows === undefined ? () => false : secretColumns(run),
  }
}

interface Logins {
  attributes: Record<string, Json>
  evaluate: EvaluateValues
  login: ApiSession['login']
}

/** The login of each job. Jobs that log in alike share it. */
const createAuthenticators = (
  { parsed, masker, now, refreshTokens, leg }: Extraction,
  index: number,
  { attributes, evaluate, login }: Logins,
) => {
  const { api, file } = parsed
  const byAuthentication = new Map<string, Authenticator>()
  const create = (authentication: Authentication | undefined): Authenticator => {
    const account = `${index} ${shortDigest(JSON.stringify(authentication ?? null))}`
    return createAuthenticator({
      file,
      authentication,
      attributes,
      evaluate,
      masker,
      now,
      send: login,
      onLogin: () => leg.logins++,
      refreshTokens,
      sessions: leg.sessions,
      account,
    })
  }
  const ofApi = create(api.authentication)
  const authenticatorOf = ({ job: { authentication } }: JobPlan): Authenticator => {
    if (authentication === undefined) return ofApi
    const account = JSON.stringify(authentication)
    const known = byAuthentication.get(account) ?? create(authentication || undefined)
    byAuthentication.set(account, known)
    return known
  }
  return authenticatorOf
}
