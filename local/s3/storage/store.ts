import { join } from 'node:path'
import { Database } from '../../durable/database.ts'
import type { DurableFiles } from '../../durable/durable-files.ts'
import { Buckets } from './buckets.ts'
import { DataFiles } from './data-files.ts'
import { Objects } from './objects.ts'
import { Parts } from './parts.ts'
import { schema } from './schema.ts'
import type { NewFile } from './stored-object.ts'
import { Uploads } from './uploads.ts'

/** Everything the server keeps, opened on one folder (made when missing). Only one process can have it open. */
export class Store {
  readonly database: Database
  readonly buckets: Buckets
  readonly parts: Parts
  readonly files: DataFiles
  readonly objects: Objects
  readonly uploads: Uploads

  private constructor(database: Database, files: DataFiles) {
    this.database = database
    this.files = files
    this.buckets = new Buckets(database)
    this.parts = new Parts(database)
    this.objects = new Objects(database, this.buckets, this.parts)
    this.uploads = new Uploads(database)
  }

  static async open(dataDir: string, files: DurableFiles): Promise<Store> {
    await files.makeFolder(dataDir)
    const database = new Database(join(dataDir, 's3.db'), { files, schema, holds: 'S3' })
    try {
      await files.syncFolder(dataDir)
      return new Store(database, await DataFiles.open(database, files, dataDir))
    } catch (error) {
      database.close()
      throw error
    }
  }

  /**
   * Runs `work` as one transaction, then removes what it released. When `work` throws, the request's new files go.
   * Resolves when all is synced.
   */
  async commit<Result>(newFiles: readonly NewFile[], work: () => Result): Promise<Result> {
    try {
      const result = await this.database.transaction(() => {
        for (const { name, content } of newFiles) if (content) this.files.insertSmall(name, content)
        return work()
      })
      this.files.collectGarbage()
      return result
    } catch (error) {
      const written = newFiles.filter(({ content }) => content === undefined)
      await Promise.all(written.map(({ name }) => this.files.discard(name)))
      throw error
    }
  }

  async close(): Promise<void> {
    await this.files.settled()
    this.database.close()
  }
}
