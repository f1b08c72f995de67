import { z } from 'zod'
import { tableDefinition } from './table-definition.ts'

const tableFile = z.object({ key: z.string(), rows: z.number(), bytes: z.number() })

export const snapshotContent = z.object({
  columns: z.array(z.string()),
  primaryKey: z.array(z.string()),
  rowsCount: z.number(),
  dataSizeBytes: z.number(),
  files: z.array(tableFile),
})

export const tableRecord = z.object({
  /** Id of this very table; a table that is deleted and created again under its old name gets another one. */
  internalId: z.number(),
  bucketId: z.string(),
  name: z.string(),
  displayName: z.string(),
  created: z.string(),
  lastImportDate: z.string().nullable(),
  lastChangeDate: z.string().nullable(),
  /** The load that moved the head last, whole: when its job runs again it finds its work done and what to report. */
  lastLoad: z.object({
    jobId: z.number(),
    importedColumns: z.array(z.string()),
    importedRowsCount: z.number(),
    warnings: z.array(z.string()),
    inBytes: z.number(),
    isCompressed: z.boolean(),
    durationSeconds: z.number(),
  }),
  /** The job that changed the table last in another way than by a load, and what it reports. */
  lastJob: z.object({ id: z.number(), results: z.record(z.string(), z.unknown()).nullable() }).optional(),
  /** Of a typed table: what its columns are said to be. */
  definition: tableDefinition.optional(),
  snapshot: snapshotContent,
  revision: z.number(),
})

/** The head of a table: what it is now, with its current snapshot. */
export type TableRecord = z.infer<typeof tableRecord>

export type TableLoad = TableRecord['lastLoad']
