import pMap from 'p-map'
import type { RenamedColumn } from '../table-engine/csv/map-columns.ts'
import type { Snapshot } from '../table-engine/files/snapshot.ts'
import type { LoadDocuments, StagedLoad } from './load-documents.ts'
import type { LoadPlace } from './load-place.ts'
import { refusalError } from './refusal.ts'

/** A load whose rows are staged, and what its job will report. */
export interface ReadyLoad {
  staged: StagedLoad
  /** The table with the columns that it has after the load, without its files. */
  table: Snapshot
  importedColumns: string[]
  importedRowsCount: number
  renamed: RenamedColumn[]
  warnings: string[]
  inBytes: number
  isCompressed: boolean
}

const READS = 16

/**
 * What the machine has staged for a load; `undefined` when it has not, or not to the end. Throws the first `UserError`
 * in the order of the data when the load cannot be done.
 */
export const readStaged = async (
  documents: LoadDocuments,
  place: LoadPlace,
): Promise<ReadyLoad | undefined> => {
  const folded = await documents.find(place, 'folded')
  if (!folded) return undefined
  if ('refusal' in folded) throw refusalError(folded.refusal)
  const request = await documents.read(place, 'request')
  const cut = await documents.read(place, 'cut')
  if (!('files' in cut)) throw new Error('A load that is folded has been cut')
  const parts = await pMap(folded.groups, (_, item) => documents.find(place, 'staged', item), {
    concurrency: READS,
  })
  const files: StagedLoad['files'] = []
  for (const part of parts) {
    if (!part) return undefined
    if ('refusal' in part) throw refusalError(part.refusal)
    files.push(...part.files)
  }
  const { table, importedColumns, renamed = [], warnings, inBytes, isCompressed } = cut
  const { tableId, incremental } = request
  return {
    staged: { jobId: place.jobId, tableId, fields: table.fields, files, incremental },
    table,
    importedColumns,
    importedRowsCount: files.reduce((sum, { rows }) => sum + rows, 0),
    renamed,
    warnings: [...request.warnings, ...warnings],
    inBytes,
    isCompressed,
  }
}
