import { withDates } from '../storage/tables/row-selection.ts'
import { withFiles } from '../table-engine/files/snapshot.ts'
import type { TableEngine } from '../table-engine/table-engine.ts'
import type { ExportDocument, ExportedPart } from './export-documents.ts'

/**
 * Exports a part of a table in the table's order; the first is 0. Repeated, it writes the same objects. `limit`: of its rows. Default: that of
 * the export.
 */
export const exportPart = async (
  { selection, fileType, gzip, timestampZone, snapshot, parts, target }: ExportDocument<'plan'>,
  { item, limit }: { item: number; limit?: number },
  engine: Pick<TableEngine, 'export'>,
): Promise<ExportedPart> => {
  const files = parts[item]
  if (!files) throw new Error(`The export has no part ${item}`)
  const { rowsCount, slices, bytesRead } = await engine.export({
    ...withDates(selection),
    ...(limit !== undefined && { limit }),
    fileType,
    gzip,
    ...(timestampZone !== undefined && { timestampZone }),
    snapshot: withFiles(snapshot, files),
    // Slices have names of their own for each part, and for what was cut off at the limit.
    target: { ...target, key: `${target.key}_${item}${limit === undefined ? '' : '_cut'}` },
  })
  // Without rows there is a slice that nobody lists.
  return { rows: rowsCount, slices: rowsCount === 0 ? [] : slices, bytesRead }
}
