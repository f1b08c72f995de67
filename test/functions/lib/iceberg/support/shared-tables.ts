import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import path from 'node:path'
import type { ObjectReader } from '#lib/iceberg/object-reader.ts'

const root = path.join(import.meta.dirname, '../../../../..')

/** Tables and metadata that other writers made. They are not part of the repository: see docs/decisions/0013-iceberg-tables.md. */
export const sharedTables = path.join(root, '../shared/conformance/iceberg')

export const haveSharedTables = existsSync(sharedTables)

if (!haveSharedTables) console.log(`skipped: the tables of other writers are not in ${sharedTables}`)

const bucket = /^s3a?:\/\/hyperparam-iceberg\//

/** Reads the objects of these tables from the folder. */
export const readShared: ObjectReader = async (location, range) => {
  const file = await open(path.join(sharedTables, decodeURIComponent(location.replace(bucket, ''))))
  try {
    const { size } = await file.stat()
    const offset = range?.offset ?? 0
    const buffer = Buffer.alloc(Math.min(range?.length ?? size, size - offset))
    await file.read(buffer, 0, buffer.length, offset)
    return buffer
  } finally {
    await file.close()
  }
}
