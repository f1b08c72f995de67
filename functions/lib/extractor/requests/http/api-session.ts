import { rmSync } from 'node:fs'
import { UserError } from '#lib/errors/errors.ts'
import type { HttpResponse } from '../answers/http-response.ts'
import { type AnswerOptions, isPlainJson, readAnswer } from '../answers/read-answer.ts'
import type { Log, Masker } from '../masking/masker.ts'
import { credentialsOf, type IsSecretField } from '../masking/secrets-of.ts'
import type { Authenticator } from './authenticator.ts'
import { type Exchange, noTries, type RedirectTarget, type Send } from './http-client.ts'
import {
  type Headers,
  type OutgoingRequest,
  setHeader,
  splitTarget,
  toOutgoing,
  withQuery,
} from './outgoing-request.ts'
import type { PageRequest } from './page-request.ts'
import {
  type FetchedPage,
  isUsual,
  jsonText,
  type ParseResponseOptions,
  parsedLater,
  parseResponse,
  statusError,
} from './parse-response.ts'
import { createErrorRules } from './retry-delay.ts'

export interface ApiSessionOptions {
  send: Send
  baseUrl: string
  defaultHeaders: Headers
  trusted: ReadonlySet<string>
  /** Throws for an address that no request may go to, be it a page, a login or the target of a redirect. */
  checkHost: (url: OutgoingRequest['url']) => void
  ignoreErrors: ReadonlySet<number>
  errorRules: Parameters<typeof createErrorRules>[0]
  /** Bodies byte by byte as in Generic Extractor. */
  compat: boolean
  lists: 'indexed' | 'repeat' | undefined
  masker: Masker
  isSecretField: IsSecretField
  log: Log
  bodyLimitBytes: number
  /** Folders: of bodies while they are read, and of items until they are written to tables, which the next leg needs. */
  spool: { bodies: string; items: string }
}

type FetchOptions = Pick<ParseResponseOptions, 'emptyIsLast'> & {
  /** How the answer is read. Without it: as JSON. */
  answer?: Omit<AnswerOptions, 'folder' | 'limitBytes'> | undefined
  /** Rules that are looked at before those of all jobs. */
  ruleFor?: Exchange['ruleFor']
}

/** Sends the requests of one iteration, with its credentials. */
export const createApiSession = (options: ApiSessionOptions) => {
  const { masker, log, ignoreErrors } = options
  const rules = createErrorRules(options.errorRules)

  const exchange = createExchange(options)

  const send = async (
    request: PageRequest,
    authenticator: Authenticator,
    { ruleFor, ...ways }: Pick<Exchange, 'spillTo' | 'tries' | 'ruleFor'>,
  ): Promise<HttpResponse> => {
    let session: number | undefined
    const sign = async (candidate: OutgoingRequest): Promise<OutgoingRequest> => {
      const signed = await authenticator.sign(candidate)
      session = signed.session
      return signed
    }
    const { renew, renewsOn401 } = authenticator
    const response = await exchange(request, {
      sign,
      ruleFor: response => ruleFor?.(response) ?? rules(response),
      ...ways,
      renew: isRuled =>
        session !== undefined && (isRuled || renewsOn401 === true) && renew?.(session) === true,
    })
    return renew !== undefined && !renewsOn401 && response.rule === undefined
      ? { ...response, isOfSession: true }
      : response
  }

  const readJson = (
    given: HttpResponse,
    method: string,
    emptyIsLast: boolean,
    encoding: string | undefined,
  ): FetchedPage => {
    const isError = given.status >= 400 || given.rule !== undefined
    const body = options.compat || isError ? given.body : jsonText(given, encoding)
    const response = { ...given, body }
    const { headers, url } = response
    const ways = { method, ignoreErrors, emptyIsLast, nothingIsLast: !options.compat, log, masker }
    if (isUsual(response, ways))
      return parsedLater({ headers, url, body, at: 0 }, () => parseResponse(response, ways).json)
    const { json, isParsed, ends } = parseResponse(response, ways)
    return { response: json, isParsed, headers, url, body, ends, at: 0 }
  }

  return {
    fetchPage: async (
      request: PageRequest,
      authenticator: Authenticator,
      { emptyIsLast, answer, ruleFor }: FetchOptions,
    ): Promise<FetchedPage> => {
      const spillTo = answer && options.spool.bodies
      // A stop leaves them with the request, for the next leg
      request.tries ??= noTries()
      const response = await send(request, authenticator, {
        spillTo,
        tries: request.tries,
        ruleFor,
      })
      request.tries = undefined
      const method = methodOf(request)
      const isError = response.status >= 400 || response.rule !== undefined
      const isNothing = response.status === 204 && !options.compat
      if (answer === undefined || isError || isNothing || isPlainJson(response, answer.settings))
        return readJson(response, method, emptyIsLast, answer?.settings.encoding)
      try {
        const { bodyLimitBytes: limitBytes, spool } = options
        const read = await readAnswer(response, { ...answer, folder: spool.items, limitBytes }, log)
        const { headers, url } = response
        return { ...read, isParsed: false, headers, url, body: Buffer.alloc(0), at: 0 }
      } finally {
        if (response.file !== undefined) rmSync(response.file, { force: true })
      }
    },
    /**
     * The body of a login response: no credentials on the request, the default headers are
     * (docs/reference/extractor-authentication.md#login).
     */
    login: async (request: PageRequest): Promise<Buffer> => {
      log.debug('Logging in.')
      const response = await exchange(request, { sign: async candidate => candidate })
      if (response.status >= 400) throw statusError(response, { method: methodOf(request), masker })
      return options.compat ? response.body : jsonText(response, undefined)
    },
  }
}

/** Sends one request as it goes out: with its credentials to whom they may go, and with none to others. */
const createExchange = (options: ApiSessionOptions) => {
  const { baseUrl, defaultHeaders, trusted, masker } = options
  const outgoing = (request: PageRequest): OutgoingRequest =>
    withUserInfo(
      toOutgoing(request, baseUrl, defaultHeaders, { compat: options.compat, lists: options.lists }),
    )

  return async (
    request: PageRequest,
    {
      sign,
      ...others
    }: Pick<Exchange, 'renew' | 'ruleFor' | 'spillTo' | 'tries'> & {
      sign: (request: OutgoingRequest) => Promise<OutgoingRequest>
    },
  ): Promise<HttpResponse> => {
    let unsigned: OutgoingRequest | undefined
    let isUntrusted = false
    const credentials = new Set<string>()
    const noteCredentials = (sent: OutgoingRequest): void => {
      for (const secret of credentialsOf(sent, options.isSecretField)) credentials.add(secret)
      masker.addPassing(credentials)
    }
    const admit = async (candidate: OutgoingRequest): Promise<OutgoingRequest> => {
      options.checkHost(candidate.url)
      noteCredentials(candidate)
      isUntrusted = !trusted.has(candidate.url.origin)
      if (isUntrusted) return withoutCredentials(candidate, masker)
      const signed = await sign(candidate)
      noteCredentials(signed)
      return signed
    }
    const response = await options.send({
      prepare: () => {
        unsigned = outgoing(request)
        return admit(unsigned)
      },
      redirected: target => admit({ ...target, headers: headersFor(target, unsigned?.headers ?? {}) }),
      ...others,
    })
    // A response may show the credentials of its request, and many other requests were sent since
    masker.addPassing(credentials)
    return isUntrusted ? { ...response, isUntrusted } : response
  }
}

const methodOf = ({ method }: PageRequest): 'GET' | 'POST' => (method === 'GET' ? 'GET' : 'POST')

const headersFor = (target: RedirectTarget, headers: Headers): Headers =>
  target.body !== undefined
    ? headers
    : Object.fromEntries(Object.entries(headers).filter(([name]) => !/^content-/i.test(name)))

/** Headers that say nothing about who asks. */
const harmless = new Set(['accept', 'accept-language', 'accept-encoding', 'content-type', 'user-agent'])

/** For origins that the configuration does not name: no configured headers, no parameter that holds a secret. */
const withoutCredentials = (request: OutgoingRequest, masker: Masker): OutgoingRequest => {
  if (request.body !== undefined && masker.holdsSecret(request.body)) {
    throw new UserError(
      'extractor.address.untrusted',
      `The request body holds a secret and would go to ${request.url.origin}, which is not listed in "api.http.trustedOrigins"`,
    )
  }
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => harmless.has(name.toLowerCase())),
  )
  const [, query] = splitTarget(request.url)
  if (!masker.holdsSecret(query)) return { ...request, headers }
  return withQuery({ ...request, headers }, given =>
    Object.fromEntries(
      Object.entries(given).filter(
        ([name, value]) => ![name, value].flat().some(text => text !== null && masker.holdsSecret(text)),
      ),
    ),
  )
}

/** `https://user:password@host` is Basic authentication written short. */
const withUserInfo = (request: OutgoingRequest): OutgoingRequest => {
  const { userInfo } = request.url
  if (
    userInfo === undefined ||
    Object.keys(request.headers).some(name => name.toLowerCase() === 'authorization')
  )
    return request
  return {
    ...request,
    headers: setHeader(request.headers, 'Authorization', `Basic ${Buffer.from(userInfo).toString('base64')}`),
  }
}
