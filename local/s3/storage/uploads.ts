import { randomBytes } from 'node:crypto'
import type { Database } from '../../durable/database.ts'
import { S3Error } from '../errors.ts'
import type { Listed } from './listing.ts'
import type { ObjectDescription, StoredVersion } from './stored-object.ts'

export interface Upload {
  id: string
  holder: number
  key: string
  /** ms since 1970 */
  initiated: number
  description: ObjectDescription
}

interface UploadRow extends Omit<Upload, 'key' | 'description'> {
  bucket: string
  key: Uint8Array
  description: string
}

/** How long a repeated Complete still gets its first answer. Longer than any client retries. */
const rememberCompletedMs = 7 * 24 * 3600 * 1000

/** Multipart uploads that are open, and the answers of those completed lately. */
export class Uploads {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
    database.run('DELETE FROM completed_uploads WHERE completed < ?', Date.now() - rememberCompletedMs)
  }

  create(bucket: string, key: string, description: ObjectDescription): string {
    const id = randomBytes(48).toString('base64url')
    const row: UploadRow = {
      id,
      holder: this.#database.nextNumber(),
      bucket,
      key: Buffer.from(key),
      initiated: Date.now(),
      description: JSON.stringify(description),
    }
    this.#database.insert('uploads', row)
    return id
  }

  /** Throws NoSuchUpload, also when the id belongs to another key. */
  get(bucket: string, key: string, id: string): Upload {
    const row = this.#database.get<UploadRow>(
      'SELECT * FROM uploads WHERE id = ? AND bucket = ? AND key = ?',
      id,
      bucket,
      Buffer.from(key),
    )
    if (row === undefined) throw new S3Error('NoSuchUpload', undefined, { UploadId: id })
    return toUpload(row)
  }

  remove(id: string): void {
    this.#database.run('DELETE FROM uploads WHERE id = ?', id)
  }

  ofBucket(bucket: string): Upload[] {
    return this.#database.all<UploadRow>('SELECT * FROM uploads WHERE bucket = ?', bucket).map(toUpload)
  }

  rememberCompleted(bucket: string, key: string, id: string, version: StoredVersion): void {
    const result = JSON.stringify(version)
    const row = { id, bucket, key: Buffer.from(key), completed: Date.now(), result }
    this.#database.insert('completed_uploads', row)
  }

  /** What Complete answered, when the upload was completed lately. */
  completed(bucket: string, key: string, id: string): StoredVersion | undefined {
    const row = this.#database.get<{ result: string }>(
      'SELECT result FROM completed_uploads WHERE id = ? AND bucket = ? AND key = ?',
      id,
      bucket,
      Buffer.from(key),
    )
    return row && JSON.parse(row.result)
  }

  /** Open uploads by key, then id. */
  open(bucket: string): Listed<Upload, string> {
    const sql = `SELECT * FROM uploads WHERE bucket = ? AND (key, id) > (?, ?) AND key < ?
                 ORDER BY key, id LIMIT ?`
    return {
      read: ({ from, behind = '', end, limit }) =>
        this.#database.all<UploadRow>(sql, bucket, from, behind, end, limit).values().map(toUpload),
      startAfter: ({ key, id }) => ({ from: Buffer.from(key), behind: id }),
    }
  }
}

const toUpload = (row: UploadRow): Upload => ({
  ...row,
  key: Buffer.from(row.key).toString(),
  description: JSON.parse(row.description),
})
