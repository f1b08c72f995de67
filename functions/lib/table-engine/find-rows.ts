import type { IndexedFile, OpenSource } from './open-files.ts'
import { mayHoldMatches } from './prune-files.ts'
import type { OrderBy, RowConditions } from './row-conditions.ts'
import type { WantedColumns } from './scan-files.ts'
import { columnNames, type Snapshot } from './snapshot.ts'

/** The files that can hold rows that fulfil conditions, by what the table knows of their values. */
export const findFiles = (snapshot: Snapshot, conditions: RowConditions): IndexedFile[] =>
  snapshot.files
    .map((file, index) => ({ file, index }))
    .filter(({ file }) => mayHoldMatches(snapshot, conditions, id => file.statistics?.[id]))

/** The row groups of a file that can hold such rows, by what its footer says. */
export const findRowGroups = (
  { footer, file }: Pick<OpenSource, 'footer' | 'file'>,
  snapshot: Snapshot,
  conditions: RowConditions,
): number[] => {
  const places = new Map(footer.columns.map(({ id }, place) => [id, place]))
  return footer.rowGroups.flatMap(({ chunks }, group) => {
    const boundsOf = (id: number) => {
      const place = places.get(id)
      const chunk = place === undefined ? undefined : chunks[place]
      return chunk && { ...chunk, nans: file.statistics?.[id]?.nans }
    }
    return mayHoldMatches(snapshot, conditions, boundsOf) ? [group] : []
  })
}

/** What must be read to answer a question: the columns to show, to compare and to order by. */
export const neededColumns = (
  snapshot: Snapshot,
  request: RowConditions & { columns: string[]; orderBy?: OrderBy[]; timestamp?: boolean },
): WantedColumns => {
  const { columns, where = [], orderBy = [], fulltextSearch, changedSince, changedUntil } = request
  const names = new Set([
    ...columns,
    ...where.map(({ column }) => column),
    ...orderBy.map(({ column }) => column),
    ...(fulltextSearch === undefined ? [] : columnNames(snapshot)),
  ])
  return {
    fields: snapshot.fields.filter(({ name }) => names.has(name)),
    timestamp: request.timestamp === true || changedSince !== undefined || changedUntil !== undefined,
  }
}
