import { liveRows, type Snapshot, type TableFile } from '../table-engine/files/snapshot.ts'
import { findFiles } from '../table-engine/rows/find-rows.ts'
import { conditionsSql, type OrderBy, type RowConditions } from '../table-engine/rows/row-conditions.ts'
import type { ExportDocument } from './export-documents.ts'
import { groupBytesFor, packGroups } from './pack-groups.ts'

interface PlannedExport {
  snapshot: Snapshot
  query: RowConditions & { orderBy?: OrderBy[]; limit?: number }
}

/** The files that an export has to read, in order: of those that can match, as many as its limit needs. */
export const filesToExport = ({ snapshot, query }: PlannedExport): TableFile[] => {
  const files = findFiles(snapshot, query).map(({ file }) => file)
  if (query.limit === undefined || !countsRows({ snapshot, query })) return files
  const found: TableFile[] = []
  let rows = 0
  for (const file of files) {
    if (rows >= query.limit) break
    found.push(file)
    rows += liveRows(file)
  }
  return found
}

/** Whether each live row of a file is exported, and in the table's order: then their number is known in advance. */
const countsRows = ({ snapshot, query }: PlannedExport): boolean =>
  (query.orderBy ?? []).length === 0 && conditionsSql(query, snapshot) === undefined

/** The files of an export in parts of about so many bytes, each with the rows that are wanted of it at most. */
export const planParts = (
  files: readonly TableFile[],
  { snapshot, query }: PlannedExport,
  wantedBytes: number,
): ExportDocument<'plan'>['parts'] => {
  const partBytes = groupBytesFor(bytesOf(files), wantedBytes)
  const isCounted = countsRows({ snapshot, query })
  let left = query.limit ?? Number.POSITIVE_INFINITY
  return packGroups(files, ({ bytes }) => bytes, partBytes).map(group => {
    const rows = group.reduce((sum, file) => sum + liveRows(file), 0)
    const limit = isCounted && left >= rows ? undefined : left
    if (isCounted) left -= rows
    return {
      files: group.map(({ statistics: _, ...file }) => file),
      ...(limit !== undefined && limit !== Number.POSITIVE_INFINITY && { limit }),
    }
  })
}

export const bytesOf = (files: readonly Pick<TableFile, 'bytes'>[]): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0)
