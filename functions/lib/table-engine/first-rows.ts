import type { EngineContext } from './files/engine-context.ts'
import type { Snapshot } from './files/snapshot.ts'
import { findRowGroups } from './rows/find-rows.ts'
import { type OpenSource, openFile } from './rows/open-files.ts'
import { rowGroupBytes } from './rows/read-limit.ts'
import { storedColumns, type WantedColumns } from './rows/scan-files.ts'

interface FirstRows {
  wanted: WantedColumns
  /** At most so many rows are looked at, the first of the table. */
  maxRows: number
  /** Of the columns, as stored. A part of a file that does not fit any more is not read. */
  maxBytes: number
}

/** Opens the row groups that the first rows of a table are in, within the bounds. */
export const openFirstRows = async (
  context: EngineContext,
  snapshot: Snapshot,
  { wanted, maxRows, maxBytes }: FirstRows,
): Promise<OpenSource[]> => {
  const sources: OpenSource[] = []
  let rows = 0
  let bytes = 0
  for (const [index, file] of snapshot.files.entries()) {
    if (rows >= maxRows || bytes > maxBytes) break
    const source = await openFile(context, { file, index })
    const places = storedColumns(source, wanted)
    const groups: number[] = []
    for (const group of findRowGroups(source, snapshot, {})) {
      if (rows >= maxRows) break
      bytes += rowGroupBytes(source, group, places)
      if (bytes > maxBytes) break
      groups.push(group)
      rows += source.footer.rowGroups[group]?.rows ?? 0
    }
    if (groups.length === 0) {
      await source.close()
      continue
    }
    await source.fetch(wanted, groups)
    sources.push({ ...source, rowGroups: groups })
  }
  return sources
}
