import { randomBytes } from 'node:crypto'
import { S3Error } from '../errors.ts'
import type { Database } from './database.ts'
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

interface UploadRow {
  id: string
  holder: number
  key: Uint8Array
  initiated: number
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

  create(bucket: string, key: string, description: ObjectDescription): Upload {
    const id = randomBytes(48).toString('base64url')
    const initiated = Date.now()
    const holder = this.#database.nextNumber()
    this.#database.run(
      'INSERT INTO uploads VALUES (?, ?, ?, ?, ?, ?)',
      id,
      holder,
      bucket,
      Buffer.from(key),
      initiated,
      JSON.stringify(description),
    )
    return { id, holder, key, initiated, description }
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

  rememberCompleted(bucket: string, key: string, id: string, result: StoredVersion): void {
    this.#database.run(
      'INSERT INTO completed_uploads VALUES (?, ?, ?, ?, ?)',
      id,
      bucket,
      Buffer.from(key),
      Date.now(),
      JSON.stringify(result),
    )
  }

  /** What Complete answered, when the upload was completed lately. */
  completed(bucket: string, key: string, id: string): StoredVersion | undefined {
    const row = this.#database.get<{ result: string }>(
      'SELECT result FROM completed_uploads WHERE id = ? AND bucket = ? AND key = ?',
      id,
      bucket,
      Buffer.from(key),
    )
    return row === undefined ? undefined : JSON.parse(row.result)
  }

  /** Open uploads by key, then id. */
  open(bucket: string): Listed<Upload, string> {
    return {
      read: ({ from, behind = '', end, limit }) =>
        this.#database
          .all<UploadRow>(
            `SELECT * FROM uploads WHERE bucket = ? AND (key, id) > (?, ?) AND key < ?
             ORDER BY key, id LIMIT ?`,
            bucket,
            from,
            behind,
            end,
            limit,
          )
          .values()
          .map(toUpload),
      startAfter: ({ key, id }) => ({ from: Buffer.from(key), behind: id }),
    }
  }
}

const toUpload = ({ key, description, ...row }: UploadRow): Upload => ({
  ...row,
  key: Buffer.from(key).toString(),
  description: JSON.parse(description),
})
