import { UserError } from '#lib/errors/errors.ts'
import type { ErrorRule } from '../../config/response-schema.ts'

/** As undici gives them: lower-case names, a list for repeated fields. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>

export interface HttpResponse {
  status: number
  headers: ResponseHeaders
  body: Buffer
  /** Where the whole body is, when it was too large to be kept in memory; `body` is its beginning then. */
  file?: string | undefined
  /** Address of the last redirect, or of the request. */
  url: string
  /** The error rule that holds for it, once the request is not sent again. */
  rule?: ErrorRule | undefined
  /** The request went there without the headers and credentials of the configuration. */
  isUntrusted?: boolean
  /** The request has the credentials of a login, which only a rule makes anew. */
  isOfSession?: boolean
}

export const firstHeader = (headers: ResponseHeaders, name: string): string | undefined => {
  const lower = name.toLowerCase()
  const value = Object.hasOwn(headers, lower) ? headers[lower] : undefined
  return Array.isArray(value) ? value[0] : value
}

/** The charset that its `Content-Type` says; nothing for what nobody knows. */
export const saidCharset = (headers: ResponseHeaders): string | undefined => {
  const said = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(firstHeader(headers, 'content-type') ?? '')?.[1]
  try {
    return said && new TextDecoder(said.replace('_', '-')).encoding
  } catch {
    return undefined
  }
}

export const damagedAnswer = (format: string, problem: string, cause?: unknown): UserError =>
  new UserError('extractor.response.damaged', `The response is not valid ${format}: ${problem}`, { cause })

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export const tooLarge = (limitBytes: number): UserError =>
  new UserError(
    'extractor.response.tooLarge',
    `The response is larger than ${limitBytes} bytes ("api.http.bodyLimitBytes")`,
  )
