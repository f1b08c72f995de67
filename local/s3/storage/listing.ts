import type { Database } from './database.ts'
import { toVersion } from './objects.ts'
import type { StoredVersion } from './stored-object.ts'

/** Where a listing stands: after a key, or after everything that starts with a common prefix. */
export type ListPosition = { afterKey: Buffer } | { afterPrefix: Buffer }

interface ListRequest {
  bucket: string
  prefix: string
  /** Empty: no grouping. */
  delimiter: string
  position: ListPosition | undefined
  /** Objects and common prefixes together. */
  limit: number
}

interface ListPage {
  objects: StoredVersion[]
  /** In UTF-8 byte order. */
  commonPrefixes: string[]
  /** Where the next page starts; undefined after the last one. */
  next: ListPosition | undefined
  /** The key or common prefix that came last on this page (version 1 markers). */
  last: string | undefined
}

type VersionRow = Parameters<typeof toVersion>[0]

/**
 * One page of the current objects of a bucket, in UTF-8 byte order.
 *
 * A common prefix costs one seek, however many keys it stands for: the walk continues after it.
 */
export const listObjects = (database: Database, request: ListRequest): ListPage => {
  const prefix = Buffer.from(request.prefix)
  const end = afterAllWithPrefix(prefix)
  const page: ListPage = { objects: [], commonPrefixes: [], next: undefined, last: undefined }
  if (request.limit === 0) return page

  let from = startOf(request.position, prefix)
  while (from !== undefined) {
    const missing = request.limit - page.objects.length - page.commonPrefixes.length
    // Where keys are grouped, most rows of a long batch would be skipped over.
    const batch = request.delimiter === '' ? missing + 1 : Math.min(missing + 1, 50)
    const rows = readBatch(database, request.bucket, from, end, batch)
    from = undefined
    for (const row of rows) {
      if (page.objects.length + page.commonPrefixes.length === request.limit) {
        page.next = positionAfter(page.last ?? '', page.commonPrefixes.at(-1) === page.last)
        return page
      }
      const version = toVersion(row)
      const group = commonPrefixOf(version.key, request.prefix, request.delimiter)
      if (group !== undefined) {
        page.commonPrefixes.push(group)
        page.last = group
        from = afterAllWithPrefix(Buffer.from(group))
        break
      }
      page.objects.push(version)
      page.last = version.key
      from = successor(Buffer.from(row.key))
    }
  }
  return page
}

const readBatch = (
  database: Database,
  bucket: string,
  from: Buffer,
  end: Buffer | undefined,
  limit: number,
): VersionRow[] =>
  end === undefined
    ? database.all<VersionRow>(
        `SELECT * FROM versions WHERE bucket = ? AND latest = 1 AND key >= ? AND delete_marker = 0
         ORDER BY key LIMIT ?`,
        bucket,
        from,
        limit,
      )
    : database.all<VersionRow>(
        `SELECT * FROM versions WHERE bucket = ? AND latest = 1 AND key >= ? AND key < ? AND delete_marker = 0
         ORDER BY key LIMIT ?`,
        bucket,
        from,
        end,
        limit,
      )

const startOf = (position: ListPosition | undefined, prefix: Buffer): Buffer | undefined => {
  if (position === undefined) return prefix
  const from =
    'afterKey' in position ? successor(position.afterKey) : afterAllWithPrefix(position.afterPrefix)
  return from === undefined || Buffer.compare(from, prefix) > 0 ? from : prefix
}

const positionAfter = (last: string, isPrefix: boolean): ListPosition =>
  isPrefix ? { afterPrefix: Buffer.from(last) } : { afterKey: Buffer.from(last) }

/** The part of the key up to and with the first delimiter behind the prefix. */
export const commonPrefixOf = (key: string, prefix: string, delimiter: string): string | undefined => {
  if (delimiter === '') return undefined
  const found = key.indexOf(delimiter, prefix.length)
  return found === -1 ? undefined : key.slice(0, found + delimiter.length)
}

/** The least byte string above `key`. */
const successor = (key: Uint8Array): Buffer => Buffer.concat([key, Buffer.of(0)])

/** The least byte string above every one that starts with `prefix`; undefined when there is none. */
const afterAllWithPrefix = (prefix: Buffer): Buffer | undefined => {
  let length = prefix.length
  while (length > 0 && prefix[length - 1] === 0xff) length--
  if (length === 0) return undefined
  const end = Buffer.from(prefix.subarray(0, length))
  end[length - 1] = (end[length - 1] ?? 0) + 1
  return end
}

/**
 * Versions and delete markers by key, then from the newest on; behind the marker's version, or behind all versions of
 * its key when `sequence` is not given.
 */
export function* versionsAfter(
  database: Database,
  bucket: string,
  { prefix, key, sequence }: { prefix: string; key: string; sequence: number | undefined },
): Generator<StoredVersion> {
  let afterKey: Uint8Array = Buffer.from(key)
  let afterSequence = sequence ?? 0
  if (key === '' || Buffer.compare(afterKey, Buffer.from(prefix)) < 0) {
    afterKey = Buffer.from(prefix)
    afterSequence = Number.MAX_SAFE_INTEGER
  }
  for (;;) {
    const rows = database.all<VersionRow>(
      `SELECT * FROM versions WHERE bucket = ?1 AND (key > ?2 OR (key = ?2 AND sequence < ?3))
       ORDER BY key, sequence DESC LIMIT 500`,
      bucket,
      afterKey,
      afterSequence,
    )
    for (const row of rows) {
      const version = toVersion(row)
      if (!version.key.startsWith(prefix)) return
      yield version
    }
    const last = rows.at(-1)
    if (last === undefined) return
    ;[afterKey, afterSequence] = [last.key, last.sequence]
  }
}
