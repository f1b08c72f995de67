import { isDeepStrictEqual } from 'node:util'
import { shortDigest } from '#lib/digests.ts'
import type { Json } from '#lib/json/json-value.ts'
import type { HttpResponse } from '../answers/http-response.ts'
import type { ItemFile } from '../answers/item-file.ts'
import type { PageEnd } from './parse-response.ts'

export interface FetchedPage {
  /** May be parsed when it is first asked for; then what is no JSON throws. */
  readonly response: Json
  /** Drops what was parsed: the page is written. */
  forget?: () => void
  headers: HttpResponse['headers']
  url: string
  body: Buffer
  /** Whether `response` is what `body` holds; not so for an ignored error that was no JSON. */
  isParsed: boolean
  /** Set when an error rule let the response pass: nothing follows it. */
  ends?: PageEnd | undefined
  /** Its items when it is no plain JSON; `response` is what stands beside them. */
  items?: ItemFile | undefined
  /** Which of its items are read next: a place in their file, or in the list; 0 before any. */
  at: number
}

/** A page that is parsed in its turn: what came ahead waits as bytes. */
export const parsedLater = (
  page: Pick<FetchedPage, 'headers' | 'url' | 'body' | 'at'>,
  parse: () => Json,
): FetchedPage => {
  let parsed: { response: Json } | undefined
  return {
    ...page,
    isParsed: true,
    get response() {
      parsed ??= { response: parse() }
      return parsed.response
    },
    forget: () => {
      parsed = undefined
    },
  }
}

/** What an API sent. */
export type SentPage = Pick<FetchedPage, 'isParsed' | 'body' | 'response'>

/** A digest of a response. A checkpoint holds it in place of the last response. */
export const fingerprint = (response: Json): string => shortDigest(JSON.stringify(response))

/** Whether two pages hold the same values in the same order. Mostly decided by the first that differs. */
export const isSamePage = (a: SentPage, b: SentPage): boolean =>
  (a.isParsed && b.isParsed && a.body.equals(b.body)) || isDeepStrictEqual(a.response, b.response)
