import * as z from 'zod/mini'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { type ApiRequest, request } from '../../functions/lib/storage-client/request.ts'
import { exchangeWithGrants } from './exchange-with-grants.ts'
import type { StorageAddress } from './find-storage.ts'

/** As the API shows it, whichever server it is of. */
export const thing = z.record(z.string(), z.unknown())
export const things = z.array(thing)
export type Thing = z.infer<typeof thing>

type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** The storage API below `/v2/storage/`. Errors are those of `request`. */
export const createApi = (address: StorageAddress) => {
  const connection = { baseUrl: address.url, token: address.token, exchange: exchangeWithGrants }
  const send = <Result>(
    method: Exclude<ApiRequest['method'], 'GET'>,
    path: string,
    schema: z.core.$ZodType<Result>,
    body?: unknown,
    handling?: ApiRequest['handling'],
  ) => request(connection, { method, path, handling, ...(body !== undefined && { body }) }, schema)
  return {
    address,
    send,
    get: <Result>(path: string, schema: z.core.$ZodType<Result>, query: Query = {}) =>
      request(connection, { method: 'GET', path: `${path}${queryText(query)}` }, schema),
    delete: (path: string) => send('DELETE', path, z.unknown()),
  }
}

export type Api = ReturnType<typeof createApi>

/** A path whose values may hold any characters: path`files/${id}`. */
export const path = (parts: TemplateStringsArray, ...values: readonly (string | number)[]): string =>
  String.raw({ raw: parts }, ...values.map(encodeURIComponent))

const queryText = (query: Query): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  if (given.length === 0) return ''
  return `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`
}

/** For what only our own service has: `undefined` where another one answers 404. */
export const ifOffered = async <Result>(reply: Promise<Result>): Promise<Result | undefined> => {
  try {
    return await reply
  } catch (error) {
    if (error instanceof UserError && (error.status === 404 || error.status === 403)) return undefined
    throw error
  }
}
