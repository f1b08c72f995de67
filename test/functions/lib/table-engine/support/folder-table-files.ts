import { createReadStream } from 'node:fs'
import { copyFile, mkdir, rename, stat } from 'node:fs/promises'
import path from 'node:path'
import type { TableFiles } from '#lib/table-engine/files/table-files.ts'
import { overwritten } from './overwritten.ts'

/** A folder in place of S3: bucket and key are a path in it. `log` records the access to tables' files. */
export const createFolderTableFiles = (folder: string): TableFiles & { log: string[] } => {
  const log: string[] = []
  const locate = (bucket: string, key: string): string => path.join(folder, bucket, key)
  return {
    log,
    readDataFile: ({ bucket, key }, range) =>
      overwritten(createReadStream(locate(bucket, key), range && { start: range.start, end: range.end - 1 })),
    readRange: (key, { start, end }) => {
      log.push(`read ${key} ${end - start}`)
      return overwritten(createReadStream(locate('tables', key), { start, end: end - 1 }))
    },
    locationOf: key => `s3://tables/${key}`,
    upload: async (source, key) => {
      log.push(`upload ${key}`)
      const target = locate('tables', key)
      await mkdir(path.dirname(target), { recursive: true })
      await copyFile(source, `${target}.new`)
      await rename(`${target}.new`, target)
      return (await stat(target)).size
    },
    writeDataFile: async (source, { bucket, key }) => {
      const target = locate(bucket, key)
      await mkdir(path.dirname(target), { recursive: true })
      await copyFile(source, target)
      return (await stat(target)).size
    },
  }
}
