import { randomBytes } from 'node:crypto'
import type { Database } from '../../durable/database.ts'
import { S3Error } from '../errors.ts'
import type { Buckets } from './buckets.ts'
import { type Listed, successor } from './listing.ts'
import type { Parts } from './parts.ts'
import type { ObjectDescription, StoredVersion } from './stored-object.ts'

/** What must hold of the current object for a write or delete to happen. Entity tags without quotes. */
export interface WriteCondition {
  /** The object must exist with this entity tag, or with any when `*`. */
  ifMatch?: string | undefined
  /** The object must not exist. */
  ifAbsent?: boolean
}

/** A version about to be committed; its parts are already under `holder`. */
export interface NewVersion {
  bucket: string
  key: string
  holder: number
  size: number
  etag: string
  description: ObjectDescription
  condition: WriteCondition
}

interface Deleted {
  /** The version removed, or the delete marker made; absent in a bucket without versions. */
  versionId?: string
  isDeleteMarker: boolean
}

interface VersionRow {
  holder: number
  bucket: string
  key: Uint8Array
  version_id: string
  sequence: number
  latest: number
  delete_marker: number
  size: number
  etag: string
  modified: number
  description: string
}

const nothingDescribed: ObjectDescription = { headers: {}, metadata: {} }

/** The versions of objects. Writing methods are to be called inside a transaction. */
export class Objects {
  readonly #database: Database
  readonly #buckets: Buckets
  readonly #parts: Parts

  constructor(database: Database, buckets: Buckets, parts: Parts) {
    this.#database = database
    this.#buckets = buckets
    this.#parts = parts
  }

  /** The version of that id; without one the current version, which may be a delete marker. */
  find(bucket: string, key: string, versionId?: string): StoredVersion | undefined {
    const which = versionId === undefined ? 'latest = ?' : 'version_id = ?'
    const row = this.#database.get<VersionRow>(
      `SELECT * FROM versions WHERE bucket = ? AND key = ? AND ${which}`,
      bucket,
      Buffer.from(key),
      versionId ?? 1,
    )
    return row && toVersion(row)
  }

  /** The objects of a bucket as they are now. */
  current(bucket: string): Listed<StoredVersion, never> {
    const sql = `SELECT * FROM versions WHERE bucket = ? AND latest = 1 AND key >= ? AND key < ? AND delete_marker = 0
                 ORDER BY key LIMIT ?`
    return {
      read: ({ from, end, limit }) =>
        this.#database.all<VersionRow>(sql, bucket, from, end, limit).values().map(toVersion),
      startAfter: ({ key }) => ({ from: successor(key) }),
    }
  }

  /** Versions and delete markers by key, then from the newest on. */
  versions(bucket: string): Listed<StoredVersion, number> {
    const sql = `SELECT * FROM versions WHERE bucket = ?1 AND key >= ?2 AND (key > ?2 OR sequence < ?3) AND key < ?4
                 ORDER BY key, sequence DESC LIMIT ?5`
    return {
      read: ({ from, behind = Number.MAX_SAFE_INTEGER, end, limit }) =>
        this.#database.all<VersionRow>(sql, bucket, from, behind, end, limit).values().map(toVersion),
      startAfter: ({ key, sequence }) => ({ from: Buffer.from(key), behind: sequence }),
    }
  }

  /** Throws PreconditionFailed, or NoSuchKey where the condition names an entity tag and there is no object. */
  check(bucket: string, key: string, { ifMatch, ifAbsent = false }: WriteCondition): void {
    if (ifMatch === undefined && !ifAbsent) return
    const latest = this.find(bucket, key)
    const existing = latest?.isDeleteMarker === true ? undefined : latest
    if (ifAbsent && existing !== undefined)
      throw new S3Error('PreconditionFailed', undefined, { Condition: 'If-None-Match' })
    if (ifMatch === undefined) return
    if (existing === undefined) throw new S3Error('NoSuchKey', undefined, { Key: key })
    if (ifMatch !== '*' && ifMatch !== existing.etag)
      throw new S3Error('PreconditionFailed', undefined, { Condition: 'If-Match' })
  }

  /** Makes the version the current one. In a bucket without versions the one before it goes. */
  commit(version: NewVersion): StoredVersion {
    this.check(version.bucket, version.key, version.condition)
    return this.#insert(version, false)
  }

  /** Removes one version, or hides the object behind a delete marker where the bucket keeps versions. Idempotent. */
  remove(bucket: string, key: string, versionId: string | undefined, condition: WriteCondition): Deleted {
    this.check(bucket, key, condition)
    if (versionId !== undefined) return this.#removeVersion(bucket, key, versionId)
    if (this.#buckets.get(bucket).versioning === '') {
      this.#removeVersion(bucket, key, 'null')
      return { isDeleteMarker: false }
    }
    const holder = this.#database.nextNumber()
    const marker = { bucket, key, holder, size: 0, etag: '', description: nothingDescribed }
    return { versionId: this.#insert(marker, true).versionId, isDeleteMarker: true }
  }

  #insert(version: Omit<NewVersion, 'condition'>, isDeleteMarker: boolean): StoredVersion {
    const { bucket, holder, size, etag, description } = version
    const key = Buffer.from(version.key)
    const isVersioned = this.#buckets.get(bucket).versioning === 'Enabled'
    if (!isVersioned) this.#removeVersion(bucket, version.key, 'null')
    this.#database.run(
      'UPDATE versions SET latest = 0 WHERE bucket = ? AND key = ? AND latest = 1',
      bucket,
      key,
    )
    const row: VersionRow = {
      holder,
      bucket,
      key,
      version_id: isVersioned ? randomBytes(24).toString('base64url') : 'null',
      sequence: this.#database.nextNumber(),
      latest: 1,
      delete_marker: isDeleteMarker ? 1 : 0,
      size,
      etag,
      modified: Date.now(),
      description: JSON.stringify(description),
    }
    this.#database.insert('versions', row)
    return toVersion(row)
  }

  #removeVersion(bucket: string, key: string, versionId: string): Deleted {
    const found = this.find(bucket, key, versionId)
    if (found === undefined) return { versionId, isDeleteMarker: false }
    this.#database.run('DELETE FROM versions WHERE holder = ?', found.holder)
    this.#parts.remove(found.holder)
    if (found.isLatest)
      this.#database.run(
        `UPDATE versions SET latest = 1 WHERE holder =
         (SELECT holder FROM versions WHERE bucket = ? AND key = ? ORDER BY sequence DESC LIMIT 1)`,
        bucket,
        Buffer.from(key),
      )
    return { versionId, isDeleteMarker: found.isDeleteMarker }
  }
}

const toVersion = ({ version_id, latest, delete_marker, ...row }: VersionRow): StoredVersion => ({
  ...row,
  key: Buffer.from(row.key).toString(),
  versionId: version_id,
  isLatest: latest !== 0,
  isDeleteMarker: delete_marker !== 0,
  description: JSON.parse(row.description),
})
