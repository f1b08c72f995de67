import pMap from 'p-map'
import type { LoadDocument } from '../lib/distributed/load-documents.ts'
import type { LoadPlace } from '../lib/distributed/load-place.ts'
import { refusalOf } from '../lib/distributed/refusal.ts'
import { CsvError } from '../lib/table-engine/csv/csv-error.ts'
import { foldRanges } from '../lib/table-engine/csv/cut/fold-ranges.ts'
import type { RangeScan } from '../lib/table-engine/csv/cut/scan-range.ts'
import type { SplitWorkServices } from './services.ts'

type Folded = LoadDocument<'folded'>
type Cut = Extract<LoadDocument<'cut'>, { files: unknown }>
type Part = Extract<Folded, { groups: unknown }>['groups'][number][number]

const READS = 16

/** Picks what is true of all that was scanned. Resolves to groups of parts that begin and end at records. */
export const foldScans = async (load: LoadPlace, { documents }: SplitWorkServices): Promise<Part[][]> => {
  const cut = await documents.read(load, 'cut')
  const { source } = await documents.read(load, 'request')
  const fold = async (): Promise<Folded> => {
    if (!('files' in cut)) return cut
    const scanned = await pMap(cut.groups, (_, item) => documents.read(load, 'scanned', item), {
      concurrency: READS,
    })
    const refused = scanned.find(group => 'refusal' in group)
    if (refused) return refused
    return foldFiles(
      cut,
      scanned.map(group => ('scans' in group ? group.scans : [])),
      source.isParquet,
    )
  }
  const folded = await fold()
  await documents.write(load, 'folded', folded)
  return 'groups' in folded ? folded.groups : []
}

/**
 * Files follow each other, so the first thing wrong is that of the first file that has one. What was Parquet has rows in place of lines.
 */
const foldFiles = (
  { files, groups, refusal }: Cut,
  scans: RangeScan[][],
  hasRows: boolean | undefined,
): Folded => {
  const scanned = groups.flatMap((group, item) =>
    group.map(({ file }, index) => ({ file, item, scan: scans[item]?.[index] })),
  )
  const byFile = Map.groupBy(scanned, ({ file }) => file)
  const parts: Part[][] = groups.map(() => [])
  for (const [file, { start }] of files.entries()) {
    const ofFile = byFile.get(file) ?? []
    const folded = foldRanges(
      ofFile.flatMap(({ scan }) => (scan ? [scan] : [])),
      start,
    )
    if ('defect' in folded) return { refusal: refusalOf(new CsvError(folded.defect)) }
    let row = 1
    for (const range of folded.ranges) {
      // The group of the range in which its first record begins.
      const { item = 0 } = ofFile.find(({ scan }) => scan && range.start.offset < scan.range.end) ?? {}
      parts[item]?.push({ file, ...range, ...(hasRows && { start: { ...range.start, line: row } }) })
      row += range.records
    }
  }
  if (refusal) return { refusal }
  return { groups: parts.filter(({ length }) => length > 0) }
}
