import { z } from 'zod'
import type { Snapshot } from '../../table-engine/snapshot.ts'
import { snapshotContent } from '../snapshots/snapshot-content.ts'
import { tableDefinition } from './table-definition.ts'

export const tableRecord = z.object({
  /** Unique for ever: a new table under an old name gets another one. */
  internalId: z.number(),
  bucketId: z.string(),
  name: z.string(),
  displayName: z.string(),
  created: z.string(),
  lastImportDate: z.string().nullable(),
  lastChangeDate: z.string().nullable(),
  /** The last load with its result. When its job runs again it finds its work done. */
  lastLoad: z.object({
    jobId: z.number(),
    importedColumns: z.array(z.string()),
    importedRowsCount: z.number(),
    warnings: z.array(z.string()),
    inBytes: z.number(),
    isCompressed: z.boolean(),
    durationSeconds: z.number(),
  }),
  /** The last job that changed the table in another way than by a load, with its result. */
  lastJob: z.object({ id: z.number(), results: z.record(z.string(), z.unknown()).nullable() }).optional(),
  /** Of a typed table: its declared columns. */
  definition: tableDefinition.optional(),
  snapshot: snapshotContent,
  /** Key of the Iceberg metadata file of the current snapshot. Absent: the table has not changed since version 0.1. */
  metadataKey: z.string().optional(),
  /** The branch that it is of. Absent: the default branch. */
  branchId: z.number().optional(),
  revision: z.number(),
})

/** The head of a table: its settings and its current snapshot. */
export type TableRecord = z.infer<typeof tableRecord>

/** A head without the files of its snapshot, as lists read it. */
export type TableHead = Omit<TableRecord, 'snapshot'> & { snapshot: Omit<Snapshot, 'files'> }

export type TableLoad = TableRecord['lastLoad']
