const SYSTEM_CODES = new Set<unknown>(['ENOSPC', 'EDQUOT'])

/** SQLite's result code SQLITE_FULL. */
const SQLITE_FULL = 13

/** The system's own sentence, as LevelDB and DuckDB pass it on, and DuckDB's when its temporary files outgrow the disk. */
const SENTENCES = /No space left on device|Disk quota exceeded|max_temp_directory_size/

/** Whether a disk is full, whoever says so. It passes: somebody makes room, and the same call works. */
export const isOutOfSpace = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  return (
    ('code' in error && SYSTEM_CODES.has(error.code)) ||
    ('errcode' in error && error.errcode === SQLITE_FULL) ||
    SENTENCES.test(error.message) ||
    isOutOfSpace(error.cause)
  )
}
