import { rm } from 'node:fs/promises'
import type { EngineContext } from './files/engine-context.ts'
import type { ParquetFooter } from './files/footer.ts'
import type { TableField, TableFile } from './files/snapshot.ts'
import { fileStatistics } from './parquet/file-statistics.ts'

/** A Parquet file in the scratch folder that will become a file of the table. */
export interface LocalFile {
  path: string
  /** Name of its object, without prefix and suffix. */
  name: string
  rows: number
  bytes: number
  footer: ParquetFooter
}

/** A file of the new snapshot: an unchanged one, or a new one. */
export type SnapshotFile = TableFile | LocalFile

export const isLocal = (file: SnapshotFile): file is LocalFile => 'path' in file

/** Uploads local files as `<keyPrefix><name>.parquet` and removes them here. */
export const createPublish =
  ({ files }: EngineContext, { keyPrefix, fields }: { keyPrefix: string; fields: TableField[] }) =>
  async (local: LocalFile): Promise<TableFile> => {
    const key = `${keyPrefix}${local.name}.parquet`
    const bytes = await files.upload(local.path, key)
    await rm(local.path)
    return { key, rows: local.rows, bytes, statistics: fileStatistics(local.footer, fields) }
  }
