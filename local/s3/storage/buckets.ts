import { S3Error } from '../errors.ts'
import type { Database } from './database.ts'

type Versioning = '' | 'Enabled' | 'Suspended'

/** `BucketOwnerEnforced`: there are no ACLs, and requests that set one are refused. */
export const objectOwnerships = ['BucketOwnerEnforced', 'BucketOwnerPreferred', 'ObjectWriter'] as const
export type ObjectOwnership = (typeof objectOwnerships)[number]

interface Bucket {
  name: string
  /** ms since 1970 */
  created: number
  versioning: Versioning
  eventBridge: boolean
}

interface BucketRow {
  name: string
  created: number
  versioning: Versioning
  event_bridge: number
}

/** The buckets and their settings. */
export class Buckets {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  find(name: string): Bucket | undefined {
    const row = this.#database.get<BucketRow>('SELECT * FROM buckets WHERE name = ?', name)
    return row === undefined ? undefined : toBucket(row)
  }

  /** Throws NoSuchBucket. */
  get(name: string): Bucket {
    const bucket = this.find(name)
    if (bucket === undefined) throw new S3Error('NoSuchBucket', undefined, { BucketName: name })
    return bucket
  }

  list(): Bucket[] {
    return this.#database.all<BucketRow>('SELECT * FROM buckets ORDER BY name').map(toBucket)
  }

  create(name: string): void {
    if (!isBucketName(name)) throw new S3Error('InvalidBucketName', undefined, { BucketName: name })
    this.#database.run('INSERT OR IGNORE INTO buckets VALUES (?, ?, ?, 0)', name, Date.now(), '')
  }

  setVersioning(name: string, versioning: Versioning): void {
    this.#database.run('UPDATE buckets SET versioning = ? WHERE name = ?', versioning, name)
  }

  setEventBridge(name: string, isOn: boolean): void {
    this.#database.run('UPDATE buckets SET event_bridge = ? WHERE name = ?', isOn ? 1 : 0, name)
  }

  /** `undefined` makes it again what it is in a new bucket. */
  own(bucket: string, ownership: ObjectOwnership | undefined): void {
    this.#database.run("DELETE FROM bucket_settings WHERE bucket = ? AND name = 'ownership'", bucket)
    if (ownership !== undefined)
      this.#database.run(
        "INSERT INTO bucket_settings VALUES (?, 'ownership', ?)",
        bucket,
        JSON.stringify(ownership),
      )
  }

  /** A bucket that was made without a word about it takes no ACLs. */
  ownership(bucket: string): ObjectOwnership {
    const row = this.#database.get<{ value: string }>(
      "SELECT value FROM bucket_settings WHERE bucket = ? AND name = 'ownership'",
      bucket,
    )
    return row === undefined ? 'BucketOwnerEnforced' : JSON.parse(row.value)
  }

  /** Removes an empty bucket. Throws BucketNotEmpty, also for versions and delete markers. */
  remove(name: string): void {
    const { found } = this.#database.get<{ found: number }>(
      'SELECT EXISTS (SELECT * FROM versions WHERE bucket = ?1) AS found',
      name,
    ) ?? { found: 0 }
    if (found !== 0) throw new S3Error('BucketNotEmpty', undefined, { BucketName: name })
    this.#database.run('DELETE FROM bucket_settings WHERE bucket = ?', name)
    this.#database.run('DELETE FROM buckets WHERE name = ?', name)
  }
}

const toBucket = ({ name, created, versioning, event_bridge }: BucketRow): Bucket => ({
  name,
  created,
  versioning,
  eventBridge: event_bridge !== 0,
})

/** S3 User Guide, "General purpose bucket naming rules". */
const isBucketName = (name: string): boolean =>
  /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) &&
  !name.includes('..') &&
  !/^\d+\.\d+\.\d+\.\d+$/.test(name)
