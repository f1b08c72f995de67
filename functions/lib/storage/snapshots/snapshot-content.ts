import { z } from 'zod'
import { FIRST_COLUMN_ID, type Snapshot } from '../../table-engine/snapshot.ts'
import { type FieldType, isFieldType } from '../../table-engine/types/field-type.ts'

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
    hasFieldIds: z.boolean().default(false),
    deletes: z.object({ key: z.string(), rows: z.number(), bytes: z.number() }).optional(),
  }),
)

const fieldType = z.custom<FieldType>(value => typeof value === 'string' && isFieldType(value))

const cellRules = z.object({
  nullable: z.boolean(),
  default: z.string().optional(),
  maxLength: z.number().optional(),
  isTime: z.boolean().optional(),
  structure: z.string().optional(),
})

const content = z.object({
  fields: z.array(
    z.object({ id: z.number(), name: z.string(), type: fieldType, rules: cellRules.optional() }),
  ),
  lastFieldId: z.number(),
  lastNameMappedId: z.number().optional(),
  primaryKey: z.array(z.string()),
  rowsCount: z.number(),
  dataSizeBytes: z.number(),
  files: tableFiles,
})

/** As version 0.1 stored it: columns without ids. */
const contentOfVersion01 = content
  .omit({ fields: true, lastFieldId: true, lastNameMappedId: true })
  .extend({ columns: z.array(z.string()) })
  .transform(({ columns, ...rest }): Snapshot => {
    const fields = columns.map((name, index) => ({
      id: FIRST_COLUMN_ID + index,
      name,
      type: 'string' as const,
    }))
    const lastFieldId = FIRST_COLUMN_ID + columns.length - 1
    return { ...rest, fields, lastFieldId, lastNameMappedId: lastFieldId }
  })

/** A snapshot in an item of the database. One of version 0.1 gets ids for its columns, in their order. */
export const snapshotContent: z.ZodType<Snapshot> = z.union([content, contentOfVersion01])
