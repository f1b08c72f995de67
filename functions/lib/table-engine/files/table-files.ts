import type { ByteRange } from './footer.ts'

/** Where one object lies. */
export interface ObjectAddress {
  bucket: string
  key: string
  /** Of the content that is meant. Default: whatever the object holds when it is read. */
  etag?: string | undefined
  /** Of the content with this ETag. With both, a large object is read faster. */
  bytes?: number | undefined
}

/**
 * The objects that the engine reads and writes: the user's data files, and the Parquet files of tables.
 *
 * The engine's core uses S3 only through this interface. The tests use it on a folder.
 */
export interface TableFiles {
  /**
   * The bytes of a data file, or of a part of it, in order. A piece is valid until the next one is asked for. Throws
   * `UserError` `storage.importFileMissing`.
   */
  readDataFile(address: ObjectAddress, range?: ByteRange): AsyncIterable<Uint8Array>
  /** The bytes of a part of a table's Parquet file, in order. */
  readRange(key: string, range: ByteRange): AsyncIterable<Uint8Array>
  /** The address of a table's file, as files of deletes name it: `s3://bucket/key`. */
  locationOf(key: string): string
  /** Uploads a local file to a key, all or nothing. Resolves to its size in bytes. */
  upload(path: string, key: string): Promise<number>
  /** The same to a data file. */
  writeDataFile(path: string, address: ObjectAddress): Promise<number>
}

/** How many files of a table are uploaded in parallel: enough to hide the time of each request. */
export const TRANSFERS = 4
