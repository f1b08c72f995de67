import { S3Error } from '../errors.ts'
import type { WriteCondition } from '../storage/objects.ts'

type Headers = Readonly<Record<string, string>>

/**
 * Whether a reader has the object already, which is 304. In the order of RFC 9110, 13.2.2: with an entity tag, the date
 * beside it is ignored. Throws PreconditionFailed.
 *
 * @param prefix of the headers' names: that of a copy's source
 */
export const isUnmodified = (
  headers: Headers,
  object: { etag: string; modified: number },
  prefix = '',
): boolean => {
  const [ifMatch, ifNoneMatch] = [headers[`${prefix}if-match`], headers[`${prefix}if-none-match`]]
  const timeOf = (name: string): number => Date.parse(headers[`${prefix}${name}`] ?? '')
  // HTTP dates have whole seconds only. No comparison with a date that is none holds.
  const modified = Math.floor(object.modified / 1000) * 1000
  if (ifMatch === undefined ? modified > timeOf('if-unmodified-since') : !includesTag(ifMatch, object.etag)) {
    const Condition = ifMatch === undefined ? 'If-Unmodified-Since' : 'If-Match'
    throw new S3Error('PreconditionFailed', undefined, { Condition })
  }
  return ifNoneMatch === undefined
    ? modified <= timeOf('if-modified-since')
    : includesTag(ifNoneMatch, object.etag)
}

/** The condition of a write. S3 accepts `If-None-Match: *` or `If-Match: <etag>`; anything else is refused. */
export const readWriteCondition = (headers: Headers): WriteCondition => {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers
  const isOther = ifNoneMatch !== undefined && (ifNoneMatch.trim() !== '*' || ifMatch !== undefined)
  const date = ['if-modified-since', 'if-unmodified-since'].find(name => headers[name] !== undefined)
  const refused = isOther ? 'if-none-match' : date
  if (refused !== undefined) throw new S3Error('NotImplemented', undefined, { Header: refused })
  return {
    ifMatch: ifMatch === undefined ? undefined : bareTag(ifMatch),
    ifAbsent: ifNoneMatch !== undefined,
  }
}

export const bareTag = (tag: string): string => tag.trim().replace(/^"(.*)"$/, '$1')

const includesTag = (header: string, etag: string): boolean =>
  header.split(',').some(tag => tag.trim() === '*' || bareTag(tag.trim().replace(/^W\//, '')) === etag)
