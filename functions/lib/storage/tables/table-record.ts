import { z } from 'zod'
import type { Snapshot } from '../../table-engine/files/snapshot.ts'
import { type AliasFilter, type AliasRecord, headFields } from './aliases/alias-record.ts'
import { snapshotContent } from './content/snapshot-content.ts'
import { tableDefinition } from './table-definition.ts'

export const tableRecord = z.object({
  ...headFields,
  lastImportDate: z.string().nullable(),
  lastChangeDate: z.string().nullable(),
  /** The last one that loaded it, or made it. */
  lastJobId: z.number(),
  /** Of a typed table: its declared columns. */
  definition: tableDefinition.optional(),
  snapshot: snapshotContent,
  /** Key of the Iceberg metadata file of the current snapshot. Absent: the table is not stored yet, or it is an alias. */
  metadataKey: z.string().optional(),
})

/** The head of a table: its settings and its current snapshot. */
export type TableRecord = z.infer<typeof tableRecord> & { alias?: undefined }

type HeadSnapshot = Omit<Snapshot, 'files'>

/** A head without the files of its snapshot, as lists read it. Of an alias: as readers see it. */
export type TableHead = Omit<TableRecord, 'snapshot' | 'alias'> & {
  snapshot: HeadSnapshot
  alias?: AliasView<TableHead> | undefined
}

/** What an alias shows, and from where. */
interface AliasView<Root extends TableHead> {
  record: AliasRecord
  /** The table or alias that it names. */
  source: Pick<TableHead, 'name' | 'definition' | 'snapshot'>
  /** The table that holds the rows, at the end of all sources. */
  root: Root
  /** All must hold: its own, and those of the aliases in between. */
  filters: AliasFilter[]
  /** Changes whenever the rows that it shows may have changed. */
  contentRevision: string
}

/** An alias with the columns that it shows. Its rows are those of `alias.root`, chosen by `alias.filters`. */
export type AliasedTable<Root extends TableHead> = Omit<TableHead, 'alias'> & { alias: AliasView<Root> }

/**
 * The time of a change of tables. It never goes back, though clocks of processes disagree: one millisecond after the change before, where
 * the clock is not above that. Readers ask for what has changed since.
 */
export const timeAfter = (time: Date, ...tables: readonly Pick<TableHead, 'lastChangeDate'>[]): Date =>
  new Date(
    Math.max(
      time.getTime(),
      ...tables.map(({ lastChangeDate }) => Date.parse(lastChangeDate ?? '') + 1 || 0),
    ),
  )
