import { isDeepStrictEqual } from 'node:util'
import { shortDigest } from '../../digests.ts'
import type { Json } from '../../json/json-value.ts'
import type { BytePage } from '../tables/bytes/byte-page.ts'
import type { ReadPage } from './job-run.ts'

/** A digest of a response. A checkpoint holds it in place of the last response. */
export const fingerprint = (response: Json): string => shortDigest(JSON.stringify(response))

/** Whether two pages hold the same values in the same order. Mostly decided by the first byte that differs. */
export const isSamePage = (a: ReadPage, b: ReadPage): boolean => {
  if (a.fetched.isParsed && b.fetched.isParsed && a.fetched.body.equals(b.fetched.body)) return true
  if (a.bytes !== undefined && b.bytes !== undefined) {
    if (!isDeepStrictEqual(a.bytes.rest, b.bytes.rest)) return false
    if (differForCertain(itemBytes(a.fetched.body, a.bytes), itemBytes(b.fetched.body, b.bytes))) return false
  }
  return isDeepStrictEqual(a.fetched.response, b.fetched.response)
}

const itemBytes = (body: Uint8Array, { start, end }: BytePage): Uint8Array => body.subarray(start, end)

/**
 * Whether the first difference of two JSON texts, in which no key comes twice in an object, is one of values: of two letters or digits that
 * are no part of an escape. A blank, an escape or a zero at the end of a number may make no difference.
 */
const differForCertain = (a: Uint8Array, b: Uint8Array): boolean => {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  if (!isLetterOrDigit(a[at]) || !isLetterOrDigit(b[at])) return false
  for (let before = at - 1; before >= at - ESCAPE_BYTES; before--) if (a[before] === BACKSLASH) return false
  return true
}

/** Of `\\u1234`, without the last. */
const ESCAPE_BYTES = 5
const BACKSLASH = 92

const isLetterOrDigit = (byte: number | undefined): boolean =>
  byte !== undefined && /[0-9A-Za-z]/.test(String.fromCharCode(byte))
