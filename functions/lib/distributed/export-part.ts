import { withDates } from '../storage/tables/row-selection.ts'
import { withFiles } from '../table-engine/files/snapshot.ts'
import type { TableEngine } from '../table-engine/table-engine.ts'
import type { ExportDocument, ExportedPart } from './export-documents.ts'

/** Which part of an export; the first is 0. `limit`: of its rows, when they are known to be too many. */
interface Piece {
  item: number
  limit?: number
}

/** Exports a part of a table in the table's order. Repeated, it writes the same objects. */
export const exportPart = async (
  { selection, snapshot, parts, fileType, gzip, timestampZone, target }: ExportDocument<'plan'>,
  { item, limit }: Piece,
  engine: Pick<TableEngine, 'export'>,
): Promise<ExportedPart> => {
  const part = parts[item]
  if (!part) throw new Error(`The export has no part ${item}`)
  // The limit of the whole says nothing of a part.
  const { limit: _, ...rows } = withDates(selection)
  const most = limit ?? part.limit
  const { rowsCount, slices, bytesRead } = await engine.export({
    ...rows,
    fileType,
    gzip,
    ...(timestampZone !== undefined && { timestampZone }),
    snapshot: withFiles(snapshot, part.files),
    ...(most !== undefined && { limit: most }),
    // Slices have names of their own for each piece, and for what was cut off at the limit.
    target: { ...target, key: `${target.key}_${item}${limit === undefined ? '' : '_cut'}` },
  })
  // Without rows there is a slice that nobody lists.
  return { rows: rowsCount, slices: rowsCount === 0 ? [] : slices, bytesRead }
}
