/** Where one object lies. */
export interface ObjectAddress {
  bucket: string
  key: string
}

/**
 * The objects that table work reads and writes: the user's data files, and the Parquet files of tables.
 *
 * The engine's core knows S3 through this alone; what it does is the same on a folder (see the tests).
 */
export interface TableFiles {
  /** The bytes of a data file, in order. Throws `UserError` `storage.importFileMissing` when it is not there. */
  readDataFile(address: ObjectAddress): AsyncIterable<Uint8Array>
  /** Copies a Parquet file of a table to a local path. */
  download(key: string, path: string): Promise<void>
  /** Copies a local file to a key, whole or not at all; resolves to its size in bytes. */
  upload(path: string, key: string): Promise<number>
  /** Copies a local file of any size to a data file, whole or not at all; resolves to its size in bytes. */
  writeDataFile(path: string, address: ObjectAddress): Promise<number>
}

/** So many files of a table are downloaded or uploaded at a time: enough to hide the time of each request. */
export const TRANSFERS = 4
