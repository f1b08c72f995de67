import type { Json } from '#lib/json/json-value.ts'
import type { ExtractorConfig } from '../../config/parse-config.ts'
import type { EvaluateValues } from '../../values/functions/evaluate.ts'
import { secretFields } from '../masking/secrets-of.ts'
import { createHostCheck, trustedOrigins } from './address-guard.ts'
import { resolveBaseUrl, resolveDefaultHeaders } from './api-setup.ts'
import { createFetch, type PagesOptions } from './fetch-page.ts'
import { createDispatcher, type DispatcherOptions } from './network.ts'
import { resolveUrl } from './resolve-url.ts'
import { retrySettings } from './retry-delay.ts'
import type { Api } from './send-request.ts'

const defaultBodyLimitBytes = 256 * 1024 * 1024
const defaultConnectTimeoutSeconds = 30
const defaultRequestTimeoutSeconds = 300

interface OpenApiOptions
  extends Pick<Api, 'masker' | 'log' | 'now' | 'wait' | 'signal' | 'onRetry'>,
    Pick<PagesOptions, 'spool'> {
  parsed: ExtractorConfig
  run: ExtractorConfig['runs'][number]
  attributes: Record<string, Json>
  evaluate: EvaluateValues
  concurrency: number
  options: Pick<DispatcherOptions, 'guard' | 'allowedPrivateHosts' | 'resolve'> &
    Partial<Pick<Api, 'dispatcher' | 'bodyLimitBytes' | 'witness'>>
  admissions: { of: (origin: string) => Api['admission'] }
}

/** The API of one iteration, with connections of its own. Disconnect from it. */
export const openApi = (given: OpenApiOptions) => {
  const { parsed, run, attributes, evaluate, concurrency, options, masker, log, now } = given
  const { api, file, compat } = parsed
  const { http = {} } = api
  const { bodyLimitBytes: most = Number.POSITIVE_INFINITY } = options
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
  const opened: Api = {
    ...given,
    dispatcher,
    requestTimeoutSeconds,
    bodyLimitBytes: Math.min(http.bodyLimitBytes || defaultBodyLimitBytes, most),
    baseUrl,
    defaultHeaders: resolveDefaultHeaders(api, run.config, attributes, evaluate),
    trusted: trustedOrigins(
      baseUrl,
      { api, jobs: run.config.jobs },
      address => evaluate({ address }, { attr: attributes }, 'authentication')['address'],
    ),
    checkHost: createHostCheck(file.image_parameters?.allowed_hosts),
    guard: options.guard === true,
    allowedPrivateHosts: options.allowedPrivateHosts,
    compat,
    lists: http.lists,
    retry: retrySettings(api.retryConfig),
    admission: given.admissions.of(origin),
    isSecretField: secretFields(api, run),
    witness: options.witness,
  }
  const { ignoreErrors = [], errorRules = [] } = http
  return {
    ...createFetch(opened, { ignoreErrors, errorRules, spool: given.spool }),
    disconnect: async (): Promise<void> => {
      if (options.dispatcher === undefined) await dispatcher.destroy()
    },
  }
}
