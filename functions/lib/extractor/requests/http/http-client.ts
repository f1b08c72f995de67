import { rmSync } from 'node:fs'
import { UserError } from '#lib/errors/errors.ts'
import { firstHeader, type HttpResponse } from '../answers/http-response.ts'
import type { Log } from '../masking/masker.ts'
import { checkHost } from './address-guard.ts'
import type { Admission } from './admission.ts'
import { type NetworkOptions, sendOverNetwork } from './network.ts'
import { NetworkFailure, type Outcome, type Witness } from './network-failure.ts'
import type { OutgoingRequest } from './outgoing-request.ts'
import type { Tries } from './page-request.ts'
import { resolveUrl } from './resolve-url.ts'
import { namesWait, type RetrySettings, retryDelaySeconds, retrySettings, waitOf } from './retry-delay.ts'

export interface HttpClientOptions extends NetworkOptions {
  guard: boolean
  allowedPrivateHosts?: readonly string[] | undefined
  retryConfig: Parameters<typeof retrySettings>[0]
  log: Log
  now: () => number
  /** Waits. Rejects when the extraction is stopped. */
  wait: (seconds: number) => Promise<void>
  admission: Admission
  onRetry: () => void
  witness: Witness | undefined
  mask: (text: string) => string
}

/** What is sent, for one attempt and for each redirect of it. */
export interface Exchange {
  /**
   * Signs one attempt; called anew for every retry, since signatures and tokens age
   * (docs/reference/extractor-authentication.md#authentication).
   */
  prepare: () => Promise<OutgoingRequest>
  /** What may go along to the target of a redirect. */
  redirected: (target: RedirectTarget) => Promise<OutgoingRequest>
  /** After a 401, or by an error rule: whether a new login follows. */
  renew?: (isRuled: boolean) => boolean
  spillTo?: string | undefined
  /** The error rule for a response, if one holds. */
  ruleFor?: (response: HttpResponse) => HttpResponse['rule']
  /** What came of it before; changed with each try, for whoever continues it. Default: nothing. */
  tries?: Tries | undefined
}

export type Send = ReturnType<typeof createSend>

/**
 * Gives what sends until there is a response that is not to be retried. Any status is returned, errors too.
 *
 * What it gives throws UserError when the network fails for good, the body is too large or the address is refused.
 */
export const createSend = (options: HttpClientOptions) => {
  const attempt = createAttempts(options)
  const retry = retrySettings(options.retryConfig)

  return async (exchange: Exchange): Promise<HttpResponse> => {
    const { tries = noTries() } = exchange
    let renewed = false
    if (tries.notBefore > options.now()) await options.wait(tries.notBefore - options.now())
    for (;;) {
      const outcome = await attempt(exchange)
      const rule = outcome instanceof NetworkFailure ? undefined : exchange.ruleFor?.(outcome)
      if (asksForLogin(outcome, rule) && !renewed && exchange.renew?.(rule !== undefined)) {
        renewed = true
        continue
      }
      if (!isRetryable(outcome, rule, retry, options.now())) return give(outcome, rule)
      if (tries.retries >= retry.maxRetries) return give(outcome, rule)
      const at = { retryHeader: retry.retryHeader, now: options.now() }
      const delay = delayOf(outcome, rule, tries.retries, at)
      if (tries.waited + delay > retry.maxTotalSeconds) {
        options.log.warning(
          `Not retrying: the server asks to wait ${Math.round(delay)} s, past the total of ${retry.maxTotalSeconds} s`,
        )
        return give(outcome, rule)
      }
      options.onRetry()
      tries.retries++
      tries.waited += delay
      tries.notBefore = options.now() + delay
      dropFile(outcome)
      // A person who waits wants to know for what.
      options.log.info(`Http request failed, retrying in ${delay.toFixed(1)} seconds [${tries.retries}x].`, {
        ...(outcome instanceof NetworkFailure
          ? { error: outcome.message }
          : { status: outcome.status, url: outcome.url }),
      })
      // The one wait of a refused request is that of all others to its server
      if (isRefusal(outcome, retry, options.now()))
        options.admission.close(new URL(outcome.url).origin, delay)
      else await options.wait(delay)
    }
  }
}

const delayOf = (
  outcome: Outcome,
  rule: HttpResponse['rule'],
  retries: number,
  { retryHeader, now }: { retryHeader: string; now: number },
): number => {
  if (outcome instanceof NetworkFailure)
    return retryDelaySeconds({ retries, headers: undefined, retryHeader, now })
  const ruled = rule && waitOf(rule, outcome, now)
  return ruled ?? retryDelaySeconds({ retries, headers: outcome.headers, retryHeader, now })
}

/** One try of an exchange: through the admission, with its redirects. */
const createAttempts = (options: HttpClientOptions) => {
  const attempt = async (exchange: Exchange): Promise<Outcome> => {
    let request = await exchange.prepare()
    for (let redirects = 0; ; redirects++) {
      const response = await once(request, exchange)
      if (response instanceof NetworkFailure) return response
      options.log.debug(`${request.method} ${response.url} ${response.status}`)
      const next = followRedirect(request, response)
      if (next === undefined) return response
      if (redirects >= maxRedirects) {
        throw new UserError(
          'extractor.request.redirects',
          `Will not follow more than ${maxRedirects} redirects`,
        )
      }
      request = await exchange.redirected(next)
    }
  }

  const once = async (request: OutgoingRequest, { spillTo }: Exchange): Promise<Outcome> => {
    const { witness, mask } = options
    const leave = await options.admission.enter(request.url.origin)
    let outcome: Outcome | undefined
    try {
      if (options.guard) checkHost(request.url.hostname, options.allowedPrivateHosts)
      // What is shown of an exchange is made of its whole body
      const ways = { spillTo: witness === undefined ? spillTo : undefined, isJson: spillTo === undefined }
      const network = () => sendOverNetwork(request, ways, options)
      outcome = await (witness === undefined ? network() : witness({ request, network, mask }))
      return outcome
    } finally {
      leave(outcome)
    }
  }

  return attempt
}

export const noTries = (): Tries => ({ retries: 0, waited: 0, notBefore: 0 })

const asksForLogin = (outcome: Outcome, rule: HttpResponse['rule']): boolean => {
  if (outcome instanceof NetworkFailure) return false
  return rule === undefined ? outcome.status === 401 : rule.do === 'login'
}

/** The server takes no requests for a while. Some say it with a 403 that names when they do (GitHub, "Rate limits for the REST API"). */
const isRefusal = (outcome: Outcome, retry: RetrySettings, now: number): outcome is HttpResponse => {
  if (outcome instanceof NetworkFailure) return false
  const { status, headers } = outcome
  return (
    status === 429 ||
    (status === 403 && retry.statuses.has(429) && namesWait(headers, retry.retryHeader, now))
  )
}

const isRetryable = (
  outcome: Outcome,
  rule: HttpResponse['rule'],
  retry: RetrySettings,
  now: number,
): boolean => {
  if (outcome instanceof NetworkFailure) return retry.curlCodes.has(outcome.curlCode)
  if (rule !== undefined) return rule.do === 'retry'
  return retry.statuses.has(outcome.status) || (outcome.status === 403 && isRefusal(outcome, retry, now))
}

const give = (outcome: Outcome, rule: HttpResponse['rule']): HttpResponse => {
  if (!(outcome instanceof NetworkFailure)) return rule === undefined ? outcome : { ...outcome, rule }
  throw new UserError('extractor.request.failed', `CURL error ${outcome.curlCode}: ${outcome.message}`, {
    cause: outcome,
  })
}

/** A rule may want to ask again for a response that came whole. */
const dropFile = (outcome: Outcome): void => {
  if (!(outcome instanceof NetworkFailure) && outcome.file !== undefined)
    rmSync(outcome.file, { force: true })
}

const maxRedirects = 5

/** Where a redirect leads. Headers are left to whoever knows which of them may go there. */
export type RedirectTarget = Pick<OutgoingRequest, 'method' | 'url' | 'body'>

const redirects = new Set([301, 302, 303, 307, 308])

/**
 * The request that a redirect asks for, or `undefined` when the response is none. 301, 302 and 303 turn a POST into a
 * GET without body, as browsers do; 307 and 308 repeat it (RFC 9110, 15.4).
 */
const followRedirect = (request: OutgoingRequest, response: HttpResponse): RedirectTarget | undefined => {
  const location = firstHeader(response.headers, 'location')
  if (!redirects.has(response.status) || location === undefined) return undefined
  // Servers write letters as they are; headers come with a character for each byte
  const url = resolveUrl(request.url.href, Buffer.from(location, 'latin1').toString())
  if (
    request.url.origin.startsWith('https:') &&
    url.origin.startsWith('http:') &&
    request.body !== undefined
  ) {
    throw new UserError(
      'extractor.request.redirects',
      'A redirect would send the request body without encryption',
    )
  }
  const repeats = response.status >= 307 || request.method === 'GET'
  return repeats
    ? { method: request.method, url, body: request.body }
    : { method: 'GET', url, body: undefined }
}
