import pMap from 'p-map'
import type { LoadPlace } from '../lib/distributed/load-place.ts'
import { refusalOf } from '../lib/distributed/refusal.ts'
import { parseCsvDialect } from '../lib/table-engine/csv/csv-dialect.ts'
import { firstByteOf, scanRange } from '../lib/table-engine/csv/cut/scan-range.ts'
import type { ByteRange } from '../lib/table-engine/parquet/footer.ts'
import { readOn } from './read-on.ts'
import type { SplitWorkServices } from './services.ts'

/** Small slices take longer to ask for than to scan. */
const READS = 4

/** Scans the ranges of a group, without knowing what comes before them. */
export const scanGroup = async (
  load: LoadPlace,
  item: number,
  { documents, files: stored }: SplitWorkServices,
): Promise<void> => {
  const { source } = await documents.read(load, 'request')
  const cut = await documents.read(load, 'cut')
  if (!('files' in cut)) throw new Error('A load that cannot be cut has no ranges')
  const { files, groups, importedColumns } = cut
  const scanned = pMap(
    groups[item] ?? [],
    async ({ file: index, ...range }) => {
      const file = files[index]
      if (!file) throw new Error(`The load has no file ${index}`)
      const read = (part: ByteRange) => stored.readDataFile(file.address, part)
      const bytes = readOn(read, { start: firstByteOf(range), end: range.end, fileEnd: file.bytes })
      const format = {
        dialect: parseCsvDialect(source),
        columns: importedColumns.length,
        source: file.source,
      }
      return scanRange(bytes, range, format)
    },
    { concurrency: READS },
  )
  // What is malformed is in the scans. Refused is a file that is no longer what it was.
  const result = await scanned.then(
    scans => ({ scans }),
    error => ({ refusal: refusalOf(error) }),
  )
  await documents.write(load, 'scanned', result, item)
}
