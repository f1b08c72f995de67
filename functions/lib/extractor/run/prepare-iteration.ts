import { shortDigest } from '../../digests.ts'
import type { Json } from '../../json/json-value.ts'
import type { Authentication } from '../config/authentication-schema.ts'
import { createAuthenticator } from '../requests/authentication/create-authenticator.ts'
import { createHostCheck, trustedOrigins } from '../requests/http/address-guard.ts'
import { createApiSession } from '../requests/http/api-session.ts'
import { resolveBaseUrl, resolveDefaultHeaders } from '../requests/http/api-setup.ts'
import type { Authenticator, AuthenticatorOptions } from '../requests/http/authenticator.ts'
import { createSend } from '../requests/http/http-client.ts'
import { createDispatcher } from '../requests/http/network.ts'
import type { RequestOptions } from '../requests/http/page-request.ts'
import { resolveUrl } from '../requests/http/resolve-url.ts'
import { createErrorRules, retrySettings } from '../requests/http/retry-delay.ts'
import { secretColumns, secretFields } from '../requests/masking/secrets-of.ts'
import { createEvaluateValues } from '../values/functions/evaluate.ts'
import { toText } from '../values/php/php-values.ts'
import type { Extraction } from './extraction.ts'
import { allPlans, type JobPlan, planJobs } from './job-plan.ts'

/** What the jobs of one iteration share. */
export type Iteration = ReturnType<typeof prepareIteration>

const defaultConcurrency = 8
const defaultBodyLimitBytes = 256 * 1024 * 1024
const defaultConnectTimeoutSeconds = 30
const defaultRequestTimeoutSeconds = 300

/**
 * Everything that one iteration needs: its own connections, headers and login
 * (docs/reference/extractor.md#iterations).
 */
export const prepareIteration = (extraction: Extraction, index: number) => {
  const { parsed, options, now, log, masker, spool } = extraction
  const { api, file, compat } = parsed
  const run = parsed.runs[index]
  const statistics = extraction.allStatistics[index]
  if (run === undefined || statistics === undefined) throw new Error(`No iteration ${index}`)
  const { config } = run
  const attributes = run.attributes as Record<string, Json> // parsed from JSON
  const evaluate = createEvaluateValues(now)
  const concurrency = options.concurrency ?? api.http?.maxConcurrency ?? defaultConcurrency
  const { bodyLimitBytes: most = Number.POSITIVE_INFINITY, maxRows } = options
  const bodyLimitBytes = Math.min(api.http?.bodyLimitBytes || defaultBodyLimitBytes, most)

  const baseUrl = resolveBaseUrl(api.baseUrl, attributes, now, log)
  const password = resolveUrl(baseUrl, '').userInfo?.split(':').slice(1).join(':')
  if (password) masker.add(password)
  const plans = planJobs(config.jobs, { compatLevel: Number(config.compatLevel ?? 3), compat })
  const { send, disconnect } = connect(extraction, { baseUrl, concurrency, bodyLimitBytes })
  const session = createApiSession({
    send,
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
  return {
    ...extraction,
    config,
    plans,
    /** What `attr` sees. */
    attributes,
    evaluate,
    statistics,
    /** How many rows of a job a preview still shows. */
    roomOf: (plan: JobPlan): number => Math.max(0, (maxRows ?? Infinity) - statistics.of(plan).rows),
    sink: extraction.sinks.of(config),
    session,
    authenticatorOf: createAuthenticators(extraction, index, { attributes, evaluate, send: session.login }),
    defaults: (api.http?.defaultOptions ?? {}) as RequestOptions, // values of a configuration are JSON
    silence: compat || maxRows !== undefined ? undefined : (config.silence ?? 'warn'),
    /** Whether a field of userData is shown as `***`: in previews, what is a secret or made of one. */
    hidesColumn: maxRows === undefined ? () => false : secretColumns(run),
    concurrency,
    disconnect,
  }
}

interface Connection {
  baseUrl: string
  concurrency: number
  bodyLimitBytes: number
}

const connect = (
  { parsed: { api }, options, log, now, wait, admissionFor, abort, leg, masker }: Extraction,
  { baseUrl, concurrency, bodyLimitBytes }: Connection,
) => {
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
  const send = createSend({
    dispatcher,
    guard: options.guard === true,
    allowedPrivateHosts: options.allowedPrivateHosts,
    retry: retrySettings(api.retryConfig),
    requestTimeoutSeconds,
    bodyLimitBytes,
    log,
    now,
    wait,
    admission: admissionFor(resolveUrl(baseUrl, '').origin),
    signal: abort.signal,
    onRetry: () => leg.retries++,
    witness: options.witness,
    mask: masker.mask,
  })
  const disconnect = async () => {
    if (options.dispatcher === undefined) await dispatcher.destroy()
  }
  return { send, disconnect }
}

/** The login of each job. Jobs that log in alike share it. */
const createAuthenticators = (
  { parsed, masker, now, refreshTokens, leg }: Extraction,
  index: number,
  given: Pick<AuthenticatorOptions, 'attributes' | 'evaluate' | 'send'>,
) => {
  const { api, file } = parsed
  const byAccount = new Map<string, Authenticator>()
  return ({ job }: JobPlan): Authenticator => {
    const authentication: Authentication | undefined = (job.authentication ?? api.authentication) || undefined
    const account = `${index} ${shortDigest(JSON.stringify(authentication ?? null))}`
    const known = byAccount.get(account)
    if (known !== undefined) return known
    const made = createAuthenticator({
      ...{ ...given, file, authentication, masker, now, refreshTokens, account },
      onLogin: () => leg.logins++,
      sessions: leg.sessions,
    })
    byAccount.set(account, made)
    return made
  }
}
