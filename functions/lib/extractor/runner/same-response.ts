import { shortDigest } from '../../digests.ts'
import { JsonNumber } from '../php/json-number.ts'
import type { Json } from '../tables/json-value.ts'

/** Whether two responses hold the same values in the same order. Mostly decided by the first difference. */
export const isSameResponse = (a: Json, b: Json): boolean => {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (a instanceof JsonNumber || b instanceof JsonNumber) {
    return a instanceof JsonNumber && b instanceof JsonNumber && a.text === b.text
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    return a.every((item, index) => isSameResponse(item, b[index] ?? null))
  }
  const keys = Object.keys(a)
  const others = Object.keys(b)
  return (
    keys.length === others.length &&
    keys.every((key, index) => key === others[index] && isSameResponse(a[key] ?? null, b[key] ?? null))
  )
}

/** A digest of a response. A checkpoint holds it in place of the last response. */
export const fingerprint = (response: Json): string => shortDigest(JSON.stringify(response))
