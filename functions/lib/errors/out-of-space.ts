const SYSTEM_CODES = new Set<unknown>(['ENOSPC', 'EDQUOT'])

/** The message for the caller. One of our services recognises it in the reply of another. */
export const OUT_OF_SPACE =
  'There is no space left on the disk. Nothing was stored. Reading still works; make room and try again.'

/** SQLite's result code SQLITE_FULL. */
const SQLITE_FULL = 13

/**
 * How DuckDB passes on what the system says, and what it says when its temporary files outgrow the disk.
 * No more than that: a message may quote what a stranger's API has answered.
 */
const SENTENCES = [
  /^IO error: .*No space left on device/is,
  /^Out of Memory Error: .*'max_temp_directory_size'/s,
]

/** Whether a disk is full, whoever says so. It passes: somebody makes room, and the same call works. */
export const isOutOfSpace = (error: unknown): boolean => {
  if (!(error instanceof Error) || error.name === 'UserError') return false
  return (
    ('code' in error && SYSTEM_CODES.has(error.code)) ||
    ('errcode' in error && error.errcode === SQLITE_FULL) ||
    error.message.startsWith(OUT_OF_SPACE) ||
    SENTENCES.some(sentence => sentence.test(error.message)) ||
    isOutOfSpace(error.cause)
  )
}
