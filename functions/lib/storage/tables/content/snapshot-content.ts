import { z } from 'zod'
import { type FieldType, isFieldType } from '#lib/iceberg/metadata/types.ts'
import type { Snapshot } from '#lib/table-engine/files/snapshot.ts'

const fieldStatistics = z.object({
  bytes: z.number(),
  values: z.number(),
  nulls: z.number(),
  nans: z.number().optional(),
  lower: z.string().optional(),
  upper: z.string().optional(),
})

/** The files of a snapshot. */
export const tableFiles = z.array(
  z.object({
    key: z.string(),
    rows: z.number(),
    bytes: z.number(),
    statistics: z.record(z.coerce.number(), fieldStatistics).optional(),
    deletes: z.object({ key: z.string(), rows: z.number(), bytes: z.number() }).optional(),
  }),
)

export const fieldType = z.custom<FieldType>(value => typeof value === 'string' && isFieldType(value))

const cellRules = z.object({
  nullable: z.boolean(),
  default: z.string().optional(),
  maxLength: z.number().optional(),
  isTime: z.boolean().optional(),
  structure: z.string().optional(),
})

/** A snapshot in an item of the database. */
export const snapshotContent: z.ZodType<Snapshot> = z.object({
  fields: z.array(
    z.object({ id: z.number(), name: z.string(), type: fieldType, rules: cellRules.optional() }),
  ),
  lastFieldId: z.number(),
  primaryKey: z.array(z.string()),
  rowsCount: z.number(),
  dataSizeBytes: z.number(),
  files: tableFiles,
})
