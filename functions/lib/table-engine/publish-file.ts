import { rm } from 'node:fs/promises'
import type { EngineContext } from './files/engine-context.ts'
import type { TableField, TableFile } from './files/snapshot.ts'
import type { LocalFile } from './local-file.ts'
import { fileStatistics } from './parquet/file-statistics.ts'

export type Publish = (file: LocalFile) => Promise<TableFile>

/** Uploads local files as `<keyPrefix><name>.parquet` and removes them here. */
export const createPublish =
  ({ files }: EngineContext, { keyPrefix, fields }: { keyPrefix: string; fields: TableField[] }): Publish =>
  async local => {
    const key = `${keyPrefix}${local.name}.parquet`
    const bytes = await files.upload(local.path, key)
    await rm(local.path)
    return { key, rows: local.rows, bytes, statistics: fileStatistics(local.footer, fields) }
  }
