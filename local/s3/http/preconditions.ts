import { S3Error } from '../errors.ts'
import type { WriteCondition } from '../storage/objects.ts'

/** The four headers of a conditional read, under their own or their copy-source names. */
export interface Preconditions {
  ifMatch: string | undefined
  ifNoneMatch: string | undefined
  ifModifiedSince: string | undefined
  ifUnmodifiedSince: string | undefined
}

type Headers = Readonly<Record<string, string>>

export const readPreconditions = (headers: Headers, prefix = ''): Preconditions => ({
  ifMatch: headers[`${prefix}if-match`],
  ifNoneMatch: headers[`${prefix}if-none-match`],
  ifModifiedSince: headers[`${prefix}if-modified-since`],
  ifUnmodifiedSince: headers[`${prefix}if-unmodified-since`],
})

/** Which condition of a read does not hold: `unmodified` is for 304, `failed` for 412. */
type PreconditionResult = { kind: 'ok' } | { kind: 'unmodified' } | { kind: 'failed'; condition: string }

/** Evaluates in the order of RFC 9110, 13.2.2: with an entity tag, the date beside it is ignored. */
export const evaluatePreconditions = (
  conditions: Preconditions,
  object: { etag: string; modified: number },
): PreconditionResult => {
  // HTTP dates have whole seconds only.
  const modified = Math.floor(object.modified / 1000) * 1000
  if (conditions.ifMatch !== undefined) {
    if (!includesTag(conditions.ifMatch, object.etag)) return { kind: 'failed', condition: 'If-Match' }
  } else if (modified > timeOf(conditions.ifUnmodifiedSince, Number.POSITIVE_INFINITY))
    return { kind: 'failed', condition: 'If-Unmodified-Since' }

  if (conditions.ifNoneMatch !== undefined) {
    if (includesTag(conditions.ifNoneMatch, object.etag)) return { kind: 'unmodified' }
  } else if (modified <= timeOf(conditions.ifModifiedSince, Number.NEGATIVE_INFINITY))
    return { kind: 'unmodified' }
  return { kind: 'ok' }
}

/** For copies, where there is no 304: throws PreconditionFailed for either kind. */
export const checkCopyPreconditions = (
  conditions: Preconditions,
  object: { etag: string; modified: number },
): void => {
  const result = evaluatePreconditions(conditions, object)
  if (result.kind !== 'ok') throw new S3Error('PreconditionFailed')
}

/** The condition of a write. S3 accepts `If-None-Match: *` or `If-Match: <etag>`; anything else is refused. */
export const readWriteCondition = (headers: Headers): WriteCondition => {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers
  if (ifNoneMatch !== undefined && ifNoneMatch.trim() !== '*')
    throw new S3Error('NotImplemented', undefined, { Header: 'If-None-Match' })
  for (const name of ['if-modified-since', 'if-unmodified-since'])
    if (headers[name] !== undefined) throw new S3Error('NotImplemented', undefined, { Header: name })
  if (ifMatch !== undefined && ifNoneMatch !== undefined)
    throw new S3Error('NotImplemented', undefined, { Header: 'If-Match and If-None-Match' })
  return {
    ifMatch: ifMatch === undefined ? undefined : bareTag(ifMatch),
    ifAbsent: ifNoneMatch !== undefined,
  }
}

export const bareTag = (tag: string): string => tag.trim().replace(/^"(.*)"$/, '$1')

const includesTag = (header: string, etag: string): boolean =>
  header.split(',').some(tag => tag.trim() === '*' || bareTag(tag.trim().replace(/^W\//, '')) === etag)

const timeOf = (header: string | undefined, otherwise: number): number => {
  const time = Date.parse(header ?? '')
  return Number.isNaN(time) ? otherwise : time
}
