import { rmSync } from 'node:fs'
import type { HttpResponse } from '../answers/http-response.ts'
import { type AnswerOptions, readAnswer } from '../answers/read-answer.ts'
import type { Authenticator } from './authenticator.ts'
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
import { createErrorRules, type RuleFor } from './retry-delay.ts'
import { type Api, noTries, sendRequest } from './send-request.ts'

export interface PagesOptions {
  ignoreErrors: readonly number[]
  errorRules: Parameters<typeof createErrorRules>[0]
  /** Folders: of bodies while they are read, and of items until they are written to tables, which the next leg needs. */
  spool: { bodies: string; items: string }
}

type FetchOptions = Pick<ParseResponseOptions, 'emptyIsLast'> & {
  /** What the answer is written in. Absent: JSON. */
  settings: AnswerOptions['settings'] | undefined
  /** Of the job, for messages. */
  endpoint: string
  /** Rules that are looked at before those of all jobs. */
  ruleFor?: RuleFor | undefined
}

/** Asks an API, and reads its answers. */
export const createFetch = (api: Api, { spool, ...settings }: PagesOptions) => {
  const { compat, log, masker } = api
  const ignoreErrors = new Set(settings.ignoreErrors)
  const rules = createErrorRules(settings.errorRules)

  const readJson = (response: HttpResponse, request: PageRequest, emptyIsLast: boolean): FetchedPage => {
    const method = methodOf(request)
    const ways = { method, ignoreErrors, emptyIsLast, nothingIsLast: !compat, log, masker }
    const { headers, url, body } = response
    if (isUsual(response, ways))
      return parsedLater({ headers, url, body, at: 0 }, () => parseResponse(response, ways).json)
    const { json, isParsed, ends } = parseResponse(response, ways)
    return { response: json, isParsed, headers, url, body, ends, at: 0 }
  }

  return {
    /** A page, whose answer may be one that is ignored. */
    fetchPage: async (
      request: PageRequest,
      authenticator: Authenticator,
      { emptyIsLast, settings, endpoint, ruleFor }: FetchOptions,
    ): Promise<FetchedPage> => {
      const isJson = settings === undefined || settings.format === 'json'
      // A stop leaves them with the request, for the next leg
      request.tries ??= noTries()
      const response = await sendRequest(api, request, {
        authenticator,
        ruleFor: response => ruleFor?.(response) ?? rules(response),
        spillTo: isJson ? undefined : spool.bodies,
      })
      request.tries = undefined
      if (response.status >= 400 || response.rule !== undefined)
        return readJson(response, request, emptyIsLast)
      if (isJson || (response.status === 204 && !compat)) {
        const body = compat ? response.body : jsonText(response, settings?.encoding)
        return readJson({ ...response, body }, request, emptyIsLast)
      }
      try {
        const items = await readAnswer(response, { settings, endpoint, folder: spool.items }, log)
        const { headers, url } = response
        return { items, response: [], isParsed: false, headers, url, body: Buffer.alloc(0), at: 0 }
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
      const response = await sendRequest(api, request)
      if (response.status >= 400) throw statusError(response, { method: methodOf(request), masker })
      return compat ? response.body : jsonText(response, undefined)
    },
  }
}

const methodOf = ({ method }: PageRequest): 'GET' | 'POST' => (method === 'GET' ? 'GET' : 'POST')
