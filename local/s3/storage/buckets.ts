import type { Database } from '../../durable/database.ts'
import { S3Error } from '../errors.ts'

interface Bucket {
  name: string
  /** ms since 1970 */
  created: number
  /** '' when it was never enabled. */
  versioning: '' | 'Enabled' | 'Suspended'
  eventBridge: boolean
}

/** The buckets and their settings. */
export class Buckets {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Throws NoSuchBucket. */
  get(name: string): Bucket {
    const bucket = this.#database.get<Bucket>(
      'SELECT name, created, versioning, event_bridge AS eventBridge FROM buckets WHERE name = ?',
      name,
    )
    if (bucket === undefined) throw new S3Error('NoSuchBucket', undefined, { BucketName: name })
    return { ...bucket, eventBridge: Boolean(bucket.eventBridge) }
  }

  list(): Pick<Bucket, 'name' | 'created'>[] {
    return this.#database.all('SELECT name, created FROM buckets ORDER BY name')
  }

  create(name: string): void {
    if (!isBucketName(name)) throw new S3Error('InvalidBucketName', undefined, { BucketName: name })
    this.#database.run("INSERT OR IGNORE INTO buckets VALUES (?, ?, '', 0)", name, Date.now())
  }

  setVersioning(name: string, isOn: boolean): void {
    // It can be suspended, but not undone.
    const off = this.get(name).versioning === '' ? '' : 'Suspended'
    this.#database.run('UPDATE buckets SET versioning = ? WHERE name = ?', isOn ? 'Enabled' : off, name)
  }

  setEventBridge(name: string, isOn: boolean): void {
    this.#database.run('UPDATE buckets SET event_bridge = ? WHERE name = ?', isOn ? 1 : 0, name)
  }

  /** Removes an empty bucket. Throws BucketNotEmpty, also for versions and delete markers. */
  remove(name: string): void {
    if (this.#database.get('SELECT 1 FROM versions WHERE bucket = ? LIMIT 1', name) !== undefined)
      throw new S3Error('BucketNotEmpty', undefined, { BucketName: name })
    this.#database.run('DELETE FROM buckets WHERE name = ?', name)
  }
}

/** S3 User Guide, "General purpose bucket naming rules". */
const isBucketName = (name: string): boolean =>
  /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) &&
  !name.includes('..') &&
  !/^\d+\.\d+\.\d+\.\d+$/.test(name)
