import { isDeepStrictEqual } from 'node:util'
import { shortDigest } from '../../digests.ts'
import type { Json } from '../../json/json-value.ts'
import type { FetchedPage } from '../requests/http/fetched-page.ts'

/** What an API sent. */
export type SentPage = Pick<FetchedPage, 'isParsed' | 'body' | 'response'>

/** A digest of a response. A checkpoint holds it in place of the last response. */
export const fingerprint = (response: Json): string => shortDigest(JSON.stringify(response))

/** Whether two pages hold the same values in the same order. Mostly decided by the first that differs. */
export const isSamePage = (a: SentPage, b: SentPage): boolean =>
  (a.isParsed && b.isParsed && a.body.equals(b.body)) || isDeepStrictEqual(a.response, b.response)
