import type { TableFile } from '../table-engine/files/snapshot.ts'

/** What packing a table's files would rewrite. */
export interface Packing {
  /** Files of rows. */
  files: number
  /** With their deletes. Athena is paid by them. */
  bytes: number
}

const MiB = 1024 ** 2

/** Amazon Athena User Guide, "Create Iceberg tables": the defaults of a table's properties for OPTIMIZE. */
const SMALL_BYTES = 384 * MiB
const LEAST_SMALL_FILES = 5
const LEAST_DELETE_FILES = 2

/**
 * What OPTIMIZE would rewrite: small files, and those with deleted rows. `undefined`: they are too few to be worth it.
 */
export const findPacking = (files: readonly Pick<TableFile, 'bytes' | 'deletes'>[]): Packing | undefined => {
  const packed = files.filter(({ bytes, deletes }) => deletes || bytes < SMALL_BYTES)
  const deleted = packed.filter(({ deletes }) => deletes).length
  if (packed.length - deleted < LEAST_SMALL_FILES && deleted < LEAST_DELETE_FILES) return undefined
  const bytes = packed.reduce((sum, file) => sum + file.bytes + (file.deletes?.bytes ?? 0), 0)
  return { files: packed.length, bytes }
}
