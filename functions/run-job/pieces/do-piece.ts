import pMap from 'p-map'
import { exportPart } from '../../lib/distributed/export-part.ts'
import type { LoadDocument } from '../../lib/distributed/load-documents.ts'
import { type LoadPlace, loadPrefix } from '../../lib/distributed/load-place.ts'
import { refusalOf } from '../../lib/distributed/refusal.ts'
import { parseCsvDialect } from '../../lib/table-engine/csv/csv-dialect.ts'
import { CsvError } from '../../lib/table-engine/csv/csv-error.ts'
import { foldRanges } from '../../lib/table-engine/csv/cut/fold-ranges.ts'
import { firstByteOf, type RangeScan, scanRange } from '../../lib/table-engine/csv/cut/scan-range.ts'
import type { ByteRange } from '../../lib/table-engine/files/footer.ts'
import { cutFiles, readOn } from './cut-files.ts'
import { openSlices, uncompressGroup } from './open-slices.ts'
import type { Piece, PieceServices } from './piece.ts'

/** Does one piece, of which nothing is visible before the job ends. Work that cannot be done leaves a refusal, which the job reports in the end. */
export const doPiece = (event: Piece, services: PieceServices): Promise<void> => {
  switch (event.step) {
    case 'open':
      return openSlices(event.load, services)
    case 'uncompress':
      return uncompressGroup(event.load, event.item, services)
    case 'cut':
      return cutFiles(event.load, services)
    case 'scan':
      return scanGroup(event.load, event.item, services)
    case 'fold':
      return foldScans(event.load, services)
    case 'stage':
      return stageGroup(event.load, event.item, services)
    case 'part':
      return exportOne(event, services)
  }
}

const READS = 16

/** Exports a part of a table. */
const exportOne = async (
  { jobId, item }: { jobId: number; item: number },
  { exports, tableEngine }: PieceServices,
): Promise<void> => {
  const plan = await exports.read(jobId, 'plan')
  const exported = exportPart(plan, { item }, await tableEngine())
  await exports.write(jobId, 'part', await exported.catch(error => ({ refusal: refusalOf(error) })), item)
}

/** Writes the records of a group as Parquet files that no table has yet. */
const stageGroup = async (
  load: LoadPlace,
  item: number,
  { documents, tableEngine }: PieceServices,
): Promise<void> => {
  const { source, loadedAt } = await documents.read(load, 'request')
  const cut = await documents.read(load, 'cut')
  const folded = await documents.read(load, 'folded')
  if (!('files' in cut && 'groups' in folded)) throw new Error('A load that is refused has nothing to stage')
  const { files, importedColumns, types, table } = cut
  const engine = await tableEngine()
  try {
    const staged = await engine.stageRange({
      parts: (folded.groups[item] ?? []).map(({ file: index, ...part }) => {
        const file = files[index]
        if (!file) throw new Error(`The load has no file ${index}`)
        return { ...part, address: file.address, source: file.source, columns: file.columns }
      }),
      csv: source,
      importedColumns,
      types,
      fields: table.fields,
      primaryKey: table.primaryKey,
      loadedAt: new Date(loadedAt),
      range: item,
      keyPrefix: loadPrefix(load),
    })
    await documents.write(load, 'staged', { files: staged.files }, item)
  } catch (error) {
    await documents.write(load, 'staged', { refusal: refusalOf(error) }, item)
  }
}

type Folded = LoadDocument<'folded'>
type Cut = Extract<LoadDocument<'cut'>, { files: unknown }>
type Part = Extract<Folded, { groups: unknown }>['groups'][number][number]

/** Picks what is true of all that was scanned: groups of parts that begin and end at records. */
const foldScans = async (load: LoadPlace, { documents }: PieceServices): Promise<void> => {
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
  await documents.write(load, 'folded', await fold())
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

/** Small slices take longer to ask for than to scan. */
const SCANS = 4

/** Scans the ranges of a group, without knowing what comes before them. */
const scanGroup = async (
  load: LoadPlace,
  item: number,
  { documents, files: stored }: PieceServices,
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
        columns: (file.columns ?? importedColumns).length,
        source: file.source,
      }
      return scanRange(bytes, range, format)
    },
    { concurrency: SCANS },
  )
  // What is malformed is in the scans. Refused is a file that is no longer what it was.
  const result = await scanned.then(
    scans => ({ scans }),
    error => ({ refusal: refusalOf(error) }),
  )
  await documents.write(load, 'scanned', result, item)
}
