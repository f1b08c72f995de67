import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Buckets } from './buckets.ts'
import { DataFiles } from './data-files.ts'
import { Database } from './database.ts'
import { Objects } from './objects.ts'
import { Parts } from './parts.ts'
import { Uploads } from './uploads.ts'

/** Everything the server keeps, opened on one folder (made when missing). Only one process can have it open. */
export class Store {
  readonly database: Database
  readonly buckets: Buckets
  readonly parts: Parts
  readonly files: DataFiles
  readonly objects: Objects
  readonly uploads: Uploads

  constructor(dataDir: string) {
    mkdirSync(dataDir, { recursive: true })
    this.database = new Database(join(dataDir, 's3.db'))
    this.buckets = new Buckets(this.database)
    this.parts = new Parts(this.database)
    this.files = new DataFiles(this.database, dataDir)
    this.objects = new Objects(this.database, this.buckets, this.parts)
    this.uploads = new Uploads(this.database)
  }

  /**
   * Runs `work` as one transaction, then moves the request's new files in place and removes what it released. When
   * `work` throws, the new files go.
   */
  commit<Result>(newFiles: readonly string[], work: () => Result): Result {
    const result = this.#tryOrDiscard(newFiles, work)
    for (const file of newFiles) this.files.promote(file)
    this.files.collectGarbage()
    return result
  }

  #tryOrDiscard<Result>(newFiles: readonly string[], work: () => Result): Result {
    try {
      return this.database.transaction(work)
    } catch (error) {
      for (const file of newFiles) this.files.discard(file)
      throw error
    }
  }

  close(): void {
    this.database.close()
  }
}
