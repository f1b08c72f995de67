import type { Json } from '#lib/json/json-value.ts'
import { everyJob } from '../../config/job-schema.ts'
import type { ExtractorConfig } from '../../config/parse-config.ts'
import type { EvaluateValues } from '../../values/functions/evaluate.ts'
import { secretFields } from '../masking/secrets-of.ts'
import { createHostCheck, trustedOrigins } from './address-guard.ts'
import { type ApiSessionOptions, createApiSession } from './api-session.ts'
import { resolveBaseUrl, resolveDefaultHeaders } from './api-setup.ts'
import { createSend, type HttpClientOptions } from './http-client.ts'
import { createDispatcher, type DispatcherOptions } from './network.ts'
import { resolveUrl } from './resolve-url.ts'

const defaultBodyLimitBytes = 256 * 1024 * 1024
const defaultConnectTimeoutSeconds = 30
const defaultRequestTimeoutSeconds = 300

interface OpenApiOptions
  extends Pick<HttpClientOptions, 'log' | 'now' | 'wait' | 'signal' | 'onRetry'>,
    Pick<ApiSessionOptions, 'masker' | 'spool'> {
  parsed: ExtractorConfig
  run: ExtractorConfig['runs'][number]
  attributes: Record<string, Json>
  evaluate: EvaluateValues
  concurrency: number
  options: Pick<DispatcherOptions, 'guard' | 'allowedPrivateHosts' | 'resolve'> &
    Partial<Pick<HttpClientOptions, 'dispatcher' | 'bodyLimitBytes' | 'witness'>>
  admissions: { of: (origin: string) => HttpClientOptions['admission'] }
}

/** The API of one iteration, with connections of its own. Disconnect from it. */
export const openApi = (given: OpenApiOptions) => {
  const { parsed, run, attributes, evaluate, concurrency, options, masker, log, now } = given
  const { api, file, compat } = parsed
  const { http = {} } = api
  const { bodyLimitBytes: most = Number.POSITIVE_INFINITY } = options
  const bodyLimitBytes = Math.min(http.bodyLimitBytes || defaultBodyLimitBytes, most)
  const requestTimeoutSeconds = http.requestTimeout || defaultRequestTimeoutSeconds
  const baseUrl = resolveBaseUrl(api.baseUrl, attributes, now, log)
  const { origin, userInfo } = resolveUrl(baseUrl, '')
  const password = userInfo?.split(':').slice(1).join(':')
  if (password) masker.add(password)
  const dispatcher =
    options.dispatcher ??
    createDispatcher({
      ...options,
      connectTimeoutSeconds: http.connectTimeout || defaultConnectTimeoutSeconds,
      requestTimeoutSeconds,
      caCertificate: api.caCertificate,
      clientCertificate: api['#clientCertificate'] ?? api.clientCertificate,
      connections: concurrency + 1, // a login may be needed while all others are busy
    })
  const send = createSend({
    ...given,
    dispatcher,
    requestTimeoutSeconds,
    bodyLimitBytes,
    guard: options.guard === true,
    allowedPrivateHosts: options.allowedPrivateHosts,
    retryConfig: api.retryConfig,
    admission: given.admissions.of(origin),
    witness: options.witness,
    mask: masker.mask,
  })
  const jobs = [...everyJob(run.config.jobs)]
  const session = createApiSession({
    ...given,
    send,
    baseUrl,
    compat,
    bodyLimitBytes,
    defaultHeaders: resolveDefaultHeaders(api, run.config, attributes, evaluate),
    trusted: trustedOrigins({
      baseUrl,
      logins: [api.authentication, ...jobs.map(({ authentication }) => authentication || undefined)],
      endpoints: jobs.map(({ endpoint }) => endpoint),
      listed: http.trustedOrigins ?? [],
      evaluate: address => evaluate({ address }, { attr: attributes }, 'authentication')['address'],
    }),
    checkHost: createHostCheck(file.image_parameters?.allowed_hosts),
    ignoreErrors: new Set(http.ignoreErrors),
    errorRules: http.errorRules ?? [],
    lists: http.lists,
    isSecretField: secretFields(api, run),
  })
  const disconnect = async () => {
    if (options.dispatcher === undefined) await dispatcher.destroy()
  }
  return { session, disconnect }
}
