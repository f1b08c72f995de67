import pMap from 'p-map'
import type { LoadDocument } from '../../lib/distributed/load-documents.ts'
import type { LoadPlace } from '../../lib/distributed/load-place.ts'
import { type Refusal, refusalError, refusalOf } from '../../lib/distributed/refusal.ts'
import { UserError } from '../../lib/errors/errors.ts'
import { groupBytesFor, packGroups } from '../../lib/pack-groups.ts'
import { sanitizeColumnName } from '../../lib/table-engine/csv/column-names.ts'
import { parseCsvDialect, RFC_4180 } from '../../lib/table-engine/csv/csv-dialect.ts'
import { type Preamble, readOn, readPreamble } from '../../lib/table-engine/csv/cut/read-range.ts'
import { openFile } from '../../lib/table-engine/csv/open-file.ts'
import { parseRecords } from '../../lib/table-engine/csv/parse-records.ts'
import { columnNames } from '../../lib/table-engine/files/snapshot.ts'
import type { ObjectAddress } from '../../lib/table-engine/files/table-files.ts'
import { typeChanges } from '../../lib/table-engine/inferred-types.ts'
import { tableForLoad } from '../../lib/table-engine/load-table.ts'
import {
  mixedSlices,
  namedSource,
  refuseOtherHeader,
  refuseOtherNames,
} from '../../lib/table-engine/parquet/parquet-source.ts'
import {
  findKnownNames,
  ignoredLinesOf,
  nameInSentence,
  sliceName,
  sourceColumns,
} from '../../lib/table-engine/source-columns.ts'
import type { FileColumn } from '../../lib/table-engine/types/field-type.ts'
import { uncompressedKey } from './open-slices.ts'
import type { PieceServices } from './piece.ts'

type Request = LoadDocument<'request'>
type CutFile = { address: ObjectAddress; bytes: number; source?: string | undefined }
type OpenedFile = CutFile & { preamble: Preamble; isJson: boolean }
type Cut = Extract<LoadDocument<'cut'>, { files: unknown }>
type Range = Cut['groups'][number][number]

const READS = 8

/**
 * Finds the columns of a load and where the records of each file begin, and cuts the files into groups of ranges.
 */
export const cutFiles = async (load: LoadPlace, services: PieceServices): Promise<void> => {
  const { documents } = services
  const request = await documents.read(load, 'request')
  try {
    const cut = await cutRequest(load, request, services)
    await documents.write(load, 'cut', cut)
  } catch (error) {
    await documents.write(load, 'cut', { refusal: refusalOf(error) })
  }
}

const cutRequest = async (load: LoadPlace, request: Request, services: PieceServices): Promise<Cut> => {
  const { source, current } = request
  const tableColumns = current && columnNames(current)
  const knownNames = findKnownNames(source, tableColumns)
  const found = await services.documents.read(load, 'opened')
  if ('refusal' in found) throw refusalError(found.refusal)
  const { compressed } = found
  const { opened, refusal } = await openFiles(load, { request, knownNames, compressed }, services)
  // A slice without a byte names no columns.
  const first = opened.find(({ preamble }) => preamble.header) ?? opened[0]
  // Without the names there is nothing to compare with the table.
  if (!first && !knownNames && refusal) throw refusalError(refusal)
  const isJson = opened.some(file => file.isJson)
  const namesOf = ({ preamble: { header } }: OpenedFile): string[] =>
    header ? [...parseRecords(header.bytes, RFC_4180)].flat() : []
  const { mapping, warnings } = sourceColumns({
    source: isJson ? namedSource(source, true) : source,
    table: request,
    knownNames,
    header: first?.preamble.header,
    names: isJson ? [...new Set(opened.flatMap(namesOf))] : undefined,
  })
  refuseOtherNames(source, mapping)
  if (source.isParquet && !isJson)
    for (const { preamble, ...file } of opened)
      if (preamble.header && first?.preamble.header)
        refuseOtherHeader([first.preamble.header.bytes], {
          source: file.source,
          bytes: preamble.header.bytes,
        })
  const files = opened.flatMap(file => {
    const { address, bytes, source: name, preamble } = file
    const columns = isJson ? namesOf(file).map(sanitizeColumnName) : undefined
    return preamble.start ? [{ address, bytes, source: name, start: preamble.start, columns }] : []
  })
  const { warnings: readWarnings = [], types } = await readFirst(load, request, services)
  if (source.types === 'detect' && !types && !current)
    throw new UserError(
      'storage.load.detectTooLarge',
      'The first load with types=detect is larger than what one function looks at. Load a smaller file first, or make the table with a definition.',
    )
  const table = tableForLoad({ current, ...request }, { mapping, types })
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const groupBytes = groupBytesFor(total, services.rangeBytes)
  const ranges = files.flatMap(({ bytes, start }, file) => cutFile(file, start.offset, bytes, groupBytes))
  return {
    importedColumns: mapping.importedColumns,
    renamed: mapping.renamed,
    table,
    types,
    warnings: [...readWarnings, ...warnings, ...typeChanges(current, table)],
    inBytes: source.slices.reduce((sum, { bytes }) => sum + bytes, 0),
    isCompressed: compressed.length > 0 && !source.isParquet,
    files,
    groups: packGroups(ranges, ({ start, end }) => end - start, groupBytes),
    refusal,
  }
}

/** What could not be read of Parquet, and its types: slices have the same columns, so the first says it. */
const readFirst = async (
  load: LoadPlace,
  { source }: Request,
  { documents }: PieceServices,
): Promise<{ warnings?: string[] | undefined; types?: FileColumn[] | undefined }> => {
  if (!source.isParquet) return {}
  const first = await documents.read(load, 'uncompressed', 0)
  return 'bytes' in first ? first : {}
}

/** The files up to the first that cannot be read, and why. */
const openFiles = async (
  load: LoadPlace,
  {
    request: { source },
    knownNames,
    compressed,
  }: { request: Request; knownNames: string[] | undefined; compressed: number[] },
  { files, documents, tablesBucket }: PieceServices,
): Promise<{ opened: OpenedFile[]; refusal?: Refusal }> => {
  const copies = new Set(compressed)
  const place = async (index: number): Promise<CutFile & { isCopy: boolean; isJson: boolean }> => {
    const slice = source.slices[index]
    if (!slice) throw new Error(`The load has no slice ${index}`)
    const { bytes, ...address } = slice
    const name = sliceName(source, index)
    if (!copies.has(index)) return { address, bytes, source: name, isCopy: false, isJson: false }
    const copy = await documents.read(load, 'uncompressed', index)
    if ('refusal' in copy) throw refusalError(copy.refusal)
    const key = uncompressedKey(load, index)
    const { isJson = false } = copy
    return { address: { bucket: tablesBucket, key }, bytes: copy.bytes, source: name, isCopy: true, isJson }
  }
  const open = async (index: number): Promise<OpenedFile> => {
    const { isCopy, ...file } = await place(index)
    const stored = readOn(part => files.readDataFile(file.address, part), {
      start: 0,
      end: 0,
      fileEnd: file.bytes,
    })
    const name = nameInSentence(file.source)
    const found = isCopy ? undefined : await openFile(stored, name)
    if (found?.form !== undefined && found.form !== 'csv') {
      await found.close()
      throw mixedSlices(name)
    }
    const bytes = found?.bytes ?? stored
    const hasHeader = knownNames === undefined
    const preamble = await readPreamble(bytes, {
      dialect: parseCsvDialect(source),
      hasHeader,
      ignoredLines: ignoredLinesOf(source, hasHeader),
      columns: knownNames?.length,
      source: file.source,
    })
    return { ...file, preamble }
  }
  const results = await pMap(
    source.slices,
    (_, index) => open(index).catch(error => ({ refusal: refusalOf(error) })),
    { concurrency: READS },
  )
  const opened: OpenedFile[] = []
  for (const result of results) {
    if ('refusal' in result) return { opened, refusal: result.refusal }
    opened.push(result)
  }
  return { opened }
}

/** Equal ranges of a file, from its first record on. */
const cutFile = (file: number, start: number, end: number, rangeBytes: number): Range[] => {
  const count = Math.ceil((end - start) / rangeBytes)
  const placeOf = (index: number): number => start + Math.floor(((end - start) * index) / count)
  return Array.from({ length: count }, (_, index) => ({
    file,
    start: placeOf(index),
    end: placeOf(index + 1),
  }))
}
