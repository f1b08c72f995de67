import pMap from 'p-map'
import { exportPart } from '../../lib/distributed/export-part.ts'
import type { LoadDocument } from '../../lib/distributed/load-documents.ts'
import { type LoadPlace, loadPrefix } from '../../lib/distributed/load-place.ts'
import { refusalOf } from '../../lib/distributed/refusal.ts'
import { parseCsvDialect } from '../../lib/table-engine/csv/csv-dialect.ts'
import {
  type Cut,
  firstCut,
  nextCut,
  type RangeScan,
  scanRange,
} from '../../lib/table-engine/csv/cut/scan-range.ts'
import { cutFiles } from './cut-files.ts'
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
      parts: (folded.groups[item] ?? []).map(({ file, ...part }) => {
        const { address, bytes: fileEnd, source, columns } = fileAt(files, file)
        return { ...part, address, fileEnd, source, columns }
      }),
      source,
      importedColumns,
      types,
      table,
      loadedAt: new Date(loadedAt),
      range: item,
      keyPrefix: loadPrefix(load),
    })
    await documents.write(load, 'staged', staged, item)
  } catch (error) {
    await documents.write(load, 'staged', { refusal: refusalOf(error) }, item)
  }
}

type CutLoad = Extract<LoadDocument<'cut'>, { files: unknown }>

const fileAt = (files: CutLoad['files'], index: number): CutLoad['files'][number] => {
  const file = files[index]
  if (!file) throw new Error(`The load has no file ${index}`)
  return file
}

/** Follows the scans from range to range: then what comes before each is known. */
const foldScans = async (load: LoadPlace, { documents }: PieceServices): Promise<void> => {
  const cut = await documents.read(load, 'cut')
  if (!('files' in cut)) return documents.write(load, 'folded', cut)
  const scanned = await pMap(cut.groups, (_, item) => documents.read(load, 'scanned', item), {
    concurrency: READS,
  })
  const refused = scanned.find(group => 'refusal' in group)
  const folded =
    refused ??
    foldGroups(
      cut,
      scanned.map(group => ('scans' in group ? group.scans : [])),
    )
  await documents.write(load, 'folded', folded)
}

const foldGroups = ({ files, groups }: CutLoad, scans: RangeScan[][]) => {
  let last = -1
  let cut: Cut | undefined
  return {
    groups: groups.map((group, item) =>
      group.map((range, index) => {
        const scan = scans[item]?.[index]
        if (!scan) throw new Error(`Range ${index} of group ${item} was not scanned`)
        const here = cut && range.file === last ? cut : firstCut(fileAt(files, range.file).start)
        last = range.file
        cut = nextCut(here, scan)
        return { ...range, ...here }
      }),
    ),
  }
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
  const scanned = pMap(
    cut.groups[item] ?? [],
    ({ file, start, end }) =>
      scanRange(
        stored.readDataFile(fileAt(cut.files, file).address, { start, end }),
        parseCsvDialect(source),
      ),
    { concurrency: SCANS },
  )
  // Refused is a file that is no longer what it was.
  const result = await scanned.then(
    scans => ({ scans }),
    error => ({ refusal: refusalOf(error) }),
  )
  await documents.write(load, 'scanned', result, item)
}
