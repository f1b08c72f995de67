import { UserError } from '../../errors/errors.ts'
import { type TableFile, TIMESTAMP_ID } from '../files/snapshot.ts'
import { type ScanSource, storedColumns, type WantedColumns } from './scan-files.ts'

/** Opening a file takes a few requests, however small it is: as long as reading so many bytes. */
const OPENING_BYTES = 1024 ** 2

/** Counts what a preview reads, before it is read. */
export interface ReadLimit {
  /** Each throws `UserError` `storage.preview.tooLarge`. */
  file(): void
  rowGroup(source: ScanSource, group: number): void
  /** All that these files hold of the columns, by what the table knows of them. */
  files(files: readonly TableFile[]): void
}

interface LimitedRead {
  wanted: WantedColumns
  /** Default: no limit. */
  maxBytes?: number | undefined
}

export const createReadLimit = ({ wanted, maxBytes = Infinity }: LimitedRead): ReadLimit => {
  let read = 0
  const check = (bytes: number): void => {
    if (bytes > maxBytes) throw tooLarge(maxBytes)
  }
  const count = (bytes: number): void => {
    read += bytes
    check(read)
  }
  return {
    file: () => count(OPENING_BYTES),
    rowGroup: (source, group) => count(rowGroupBytes(source, group, storedColumns(source, wanted))),
    files: files => check(bytesOfFiles(files, wanted)),
  }
}

/** Of columns of a row group, as stored. */
const rowGroupBytes = (
  { footer }: Pick<ScanSource, 'footer'>,
  group: number,
  places: readonly number[],
): number => places.reduce((sum, place) => sum + (footer.rowGroups[group]?.chunks[place]?.bytes ?? 0), 0)

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
