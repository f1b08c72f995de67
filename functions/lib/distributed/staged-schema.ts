import type { NestedField } from '../iceberg/metadata/types.ts'
import { LOAD_ORDER } from '../table-engine/load-order.ts'
import { type TableField, TIMESTAMP_ID } from '../table-engine/snapshot.ts'
import { stagedColumn } from './statements/merge-statement.ts'

/** The columns of a staging table: those of the load under short names, and the order of the rows. */
export const stagedSchema = (fields: readonly TableField[]): NestedField[] => [
  ...fields.map(field => ({ id: field.id, name: stagedColumn(field), required: false, type: field.type })),
  { id: TIMESTAMP_ID, name: '_timestamp', required: false, type: 'timestamptz' },
  ...LOAD_ORDER.map(column => ({ ...column, required: true })),
]
