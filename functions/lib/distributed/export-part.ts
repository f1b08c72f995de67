import { withDates } from '../storage/tables/row-selection.ts'
import type { ExportResult } from '../table-engine/export-table.ts'
import { withFiles } from '../table-engine/files/snapshot.ts'
import type { TableEngine } from '../table-engine/table-engine.ts'
import type { ExportDocument, ExportedPart } from './export-documents.ts'

type Plan = ExportDocument<'plan'>

/** Which part of an export; the first is 0. `limit`: of its rows, when they are known to be too many. */
interface Piece {
  item: number
  limit?: number
}

/** Everything of the question but the files. */
const questionOf = ({ selection, snapshot, parts, fileType, timestampZone }: Plan, item: number) => {
  const part = parts[item]
  if (!part) throw new Error(`The export has no part ${item}`)
  return {
    ...withDates(selection),
    fileType,
    ...(timestampZone !== undefined && { timestampZone }),
    snapshot: withFiles(snapshot, part.files),
    limit: part.limit,
  }
}

/** Slices have names of their own for each piece, and for what was cut off at the limit. */
const targetOf = ({ target }: Plan, { item, limit }: Piece) => ({
  ...target,
  key: `${target.key}_${item}${limit === undefined ? '' : '_cut'}`,
})

/** Without rows there is a slice that nobody lists. */
const exported = ({ rowsCount, slices, bytesRead }: ExportResult & { bytesRead: number }): ExportedPart => ({
  rows: rowsCount,
  slices: rowsCount === 0 ? [] : slices,
  bytesRead,
})

/** Exports a part of a table in the table's order. Repeated, it writes the same objects. */
export const exportPart = async (
  plan: Plan,
  piece: Piece,
  engine: Pick<TableEngine, 'export'>,
): Promise<ExportedPart> => {
  const { limit, ...question } = questionOf(plan, piece.item)
  const most = piece.limit ?? limit
  const { gzip } = plan
  return exported(
    await engine.export({
      ...question,
      gzip,
      ...(most !== undefined && { limit: most }),
      target: targetOf(plan, piece),
    }),
  )
}
