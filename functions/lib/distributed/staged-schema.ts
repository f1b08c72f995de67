import type { NestedField } from '../iceberg/metadata/types.ts'
import { type TableField, TIMESTAMP_ID } from '../table-engine/snapshot.ts'
import { LOAD_RANGE, LOAD_ROW, stagedColumn } from './statements/merge-statement.ts'

/** Field ids of the columns that say where a staged row stood in the load. They are never columns of a table. */
export const LOAD_RANGE_ID = 2147483001
export const LOAD_ROW_ID = 2147483002

/** The columns of a staging table: those of the load under short names, and the order of the rows. */
export const stagedSchema = (fields: readonly TableField[]): NestedField[] => [
  ...fields.map(field => ({ id: field.id, name: stagedColumn(field), required: false, type: field.type })),
  { id: TIMESTAMP_ID, name: '_timestamp', required: false, type: 'timestamptz' },
  { id: LOAD_RANGE_ID, name: LOAD_RANGE, required: true, type: 'int' },
  { id: LOAD_ROW_ID, name: LOAD_ROW, required: true, type: 'long' },
]
