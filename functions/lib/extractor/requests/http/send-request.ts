import { rmSync } from 'node:fs'
import { UserError } from '#lib/errors/errors.ts'
import type { HttpResponse } from '../answers/http-response.ts'
import type { Log } from '../masking/masker.ts'
import { credentialsOf, type IsSecretField } from '../masking/secrets-of.ts'
import type { Admission } from './admission.ts'
import { type Authenticator, noAuthentication } from './authenticator.ts'
import { type NetworkOptions, sendOverNetwork } from './network.ts'
import { NetworkFailure, type Outcome } from './network-failure.ts'
import {
  type Headers,
  headersFor,
  type OutgoingRequest,
  redirectOf,
  toOutgoing,
  withoutCredentials,
  withUserInfo,
} from './outgoing-request.ts'
import type { PageRequest, Tries } from './page-request.ts'
import { namesWait, type RetrySettings, type RuleFor, retryDelaySeconds, waitOf } from './retry-delay.ts'

/** What the requests of one iteration share. */
export interface Api extends NetworkOptions {
  baseUrl: string
  defaultHeaders: Headers
  /** Origins that credentials may go to. */
  trusted: ReadonlySet<string>
  /** Throws for an address that no request may go to, be it a page, a login or the target of a redirect. */
  checkHost: (url: OutgoingRequest['url']) => void
  /** Bodies byte by byte as in Generic Extractor. */
  compat: boolean
  lists: 'indexed' | 'repeat' | undefined
  retry: RetrySettings
  admission: Admission
  isSecretField: IsSecretField
  log: Log
  now: () => number
  /** Waits. Rejects when the extraction is stopped. */
  wait: (seconds: number) => Promise<void>
  onRetry: () => void
}

interface Ways {
  /** Default: none, as for a login. */
  authenticator?: Authenticator
  /** The error rule for a response, if one holds. */
  ruleFor?: RuleFor
  /** Folder for large bodies. */
  spillTo?: string | undefined
}

export const noTries = (): Tries => ({ retries: 0, waited: 0, notBefore: 0 })

/**
 * Sends a request until there is a response that is not to be retried. Any status is returned, errors too. What was tried before stands
 * in `request.tries`, which changes with each try, for whoever goes on with it.
 *
 * @throws UserError when the network fails for good, the body is too large or the address is refused
 */
export const sendRequest = async (api: Api, request: PageRequest, ways: Ways = {}): Promise<HttpResponse> => {
  const { retry, now, log, masker } = api
  const { authenticator = noAuthentication, ruleFor } = ways
  const { tries = noTries() } = request
  const credentials = new Set<string>()
  let hasRenewed = false
  if (tries.notBefore > now()) await api.wait(tries.notBefore - now())
  for (;;) {
    const { outcome, session, isUntrusted } = await attempt(api, request, ways, credentials)
    const rule = outcome instanceof NetworkFailure ? undefined : ruleFor?.(outcome)
    const asksForLogin = rule ? rule.do === 'login' : isStatus(outcome, 401) && authenticator.renewsOn401
    if (asksForLogin && !hasRenewed && session !== undefined && authenticator.renew?.(session)) {
      hasRenewed = true
      continue
    }
    const isLast = !isRetryable(outcome, rule, api) || tries.retries >= retry.maxRetries
    const delay = isLast ? 0 : delayOf(outcome, rule, tries.retries, api)
    const isTooLong = tries.waited + delay > retry.maxTotalSeconds
    if (isTooLong && !isLast)
      log.warning(
        `Not retrying: the server asks to wait ${Math.round(delay)} s, past the total of ${retry.maxTotalSeconds} s`,
      )
    if (isLast || isTooLong) {
      // A response may show the credentials of its request, and many other requests were sent since
      masker.addPassing(credentials)
      if (outcome instanceof NetworkFailure)
        throw new UserError(
          'extractor.request.failed',
          `CURL error ${outcome.curlCode}: ${outcome.message}`,
          { cause: outcome },
        )
      const isOfSession =
        authenticator.renew !== undefined && !authenticator.renewsOn401 && rule === undefined
      return { ...outcome, rule, isUntrusted, isOfSession }
    }
    api.onRetry()
    tries.retries++
    tries.waited += delay
    tries.notBefore = now() + delay
    const isFailure = outcome instanceof NetworkFailure
    // A rule may want to ask again for a response that came whole
    if (!isFailure && outcome.file !== undefined) rmSync(outcome.file, { force: true })
    // A person who waits wants to know for what.
    const why = isFailure ? { error: outcome.message } : { status: outcome.status, url: outcome.url }
    log.info(`Http request failed, retrying in ${delay.toFixed(1)} seconds [${tries.retries}x].`, why)
    // The one wait of a refused request is that of all others to its server
    if (isRefusal(outcome, api)) api.admission.close(new URL(outcome.url).origin, delay)
    else await api.wait(delay)
  }
}

interface Attempt {
  outcome: Outcome
  /** Of the login whose credentials it had. */
  session: number | undefined
  /** It went where no header and no credential of the configuration goes. */
  isUntrusted: boolean
}

const MAX_REDIRECTS = 5

/**
 * One try, with its redirects. It is signed anew, since signatures and tokens age, and for each host that it goes to
 * (docs/reference/extractor-authentication.md#authentication).
 *
 * @param credentials gets those that were sent
 */
const attempt = async (
  api: Api,
  request: PageRequest,
  { authenticator = noAuthentication, spillTo }: Ways,
  credentials: Set<string>,
): Promise<Attempt> => {
  const hide = (sent: OutgoingRequest): void => {
    for (const secret of credentialsOf(sent, api.isSecretField)) credentials.add(secret)
    api.masker.addPassing(credentials)
  }
  const given = withUserInfo(toOutgoing(request, api.baseUrl, api.defaultHeaders, api))
  let session: number | undefined
  for (let redirects = 0, next: OutgoingRequest = given; ; redirects++) {
    api.checkHost(next.url)
    hide(next)
    const isUntrusted = !api.trusted.has(next.url.origin)
    const sent = isUntrusted ? withoutCredentials(next, api.masker) : await authenticator.sign(next)
    hide(sent)
    session = sent.session ?? session
    const outcome = await sendOnce(api, sent, spillTo)
    if (outcome instanceof NetworkFailure) return { outcome, session, isUntrusted }
    api.log.debug(`${sent.method} ${outcome.url} ${outcome.status}`)
    const target = redirectOf(sent, outcome)
    if (target === undefined) return { outcome, session, isUntrusted }
    if (redirects >= MAX_REDIRECTS)
      throw new UserError(
        'extractor.request.redirects',
        `Will not follow more than ${MAX_REDIRECTS} redirects`,
      )
    next = { ...target, headers: headersFor(target, given.headers) }
  }
}

const sendOnce = async (
  api: Api,
  request: OutgoingRequest,
  spillTo: string | undefined,
): Promise<Outcome> => {
  const leave = await api.admission.enter(request.url.origin)
  let outcome: Outcome | undefined
  try {
    outcome = await sendOverNetwork(request, spillTo, api)
    return outcome
  } finally {
    leave(outcome)
  }
}

const isStatus = (outcome: Outcome, status: number): boolean =>
  !(outcome instanceof NetworkFailure) && outcome.status === status

type Rule = HttpResponse['rule']

const delayOf = (outcome: Outcome, rule: Rule, retries: number, { retry, now }: Api): number => {
  const isFailure = outcome instanceof NetworkFailure
  const ruled = isFailure || rule === undefined ? undefined : waitOf(rule, outcome, now())
  const headers = isFailure ? undefined : outcome.headers
  return ruled ?? retryDelaySeconds({ retries, headers, retryHeader: retry.retryHeader, now: now() })
}

/** The server takes no requests for a while. Some say it with a 403 that names when they do (GitHub, "Rate limits for the REST API"). */
const isRefusal = (outcome: Outcome, { retry, now }: Api): outcome is HttpResponse => {
  if (outcome instanceof NetworkFailure) return false
  const { status, headers } = outcome
  const isLimited = status === 403 && retry.statuses.has(429)
  return status === 429 || (isLimited && namesWait(headers, retry.retryHeader, now()))
}

const isRetryable = (outcome: Outcome, rule: Rule, api: Api): boolean => {
  const { retry } = api
  if (outcome instanceof NetworkFailure) return retry.curlCodes.has(outcome.curlCode)
  if (rule !== undefined) return rule.do === 'retry'
  return retry.statuses.has(outcome.status) || (outcome.status === 403 && isRefusal(outcome, api))
}
