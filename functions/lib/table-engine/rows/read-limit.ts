import { UserError } from '../../errors/errors.ts'
import { type TableFile, TIMESTAMP_ID } from '../files/snapshot.ts'
import type { WantedColumns } from './scan-files.ts'

/** Opening a file takes a few requests, however small it is: as long as reading so many bytes. */
const OPENING_BYTES = 1024 ** 2

/** Counts what is read of files, before it is read. Throws `UserError` `storage.preview.tooLarge`. */
export const createReadLimit = (
  wanted: WantedColumns,
  maxBytes = Number.POSITIVE_INFINITY,
): ((files: readonly TableFile[]) => void) => {
  let read = 0
  return files => {
    read += bytesOfFiles(files, wanted)
    if (read > maxBytes) throw tooLarge(maxBytes)
  }
}

/** What these files hold of the columns, by what the table knows of them. */
export const bytesOfFiles = (files: readonly TableFile[], wanted: WantedColumns): number =>
  files.reduce((sum, file) => sum + OPENING_BYTES + knownBytes(file, wanted), 0)

/** At least so many: other engines keep no statistics of some columns. */
const knownBytes = ({ statistics = {} }: TableFile, { fields, timestamp }: WantedColumns): number =>
  [...fields.map(({ id }) => id), ...(timestamp ? [TIMESTAMP_ID] : [])].reduce(
    (sum, id) => sum + (statistics[id]?.bytes ?? 0),
    0,
  )

const tooLarge = (maxBytes: number): UserError =>
  new UserError(
    'storage.preview.tooLarge',
    `With this filter or order the preview would have to read more than ${maxBytes} bytes of the table. Export the rows ` +
      '(export-async takes the same fields), show fewer columns, or filter by values of which few files hold some.',
    { params: { maxBytes } },
  )
