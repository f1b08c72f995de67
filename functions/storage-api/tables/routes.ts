import type { Route } from '../http/route.ts'
import { runQuery } from '../queries/run-query.ts'
import { addColumn } from './add-column.ts'
import { addPrimaryKey } from './add-primary-key.ts'
import { createTable } from './create-table.ts'
import { createTableNow } from './create-table-now.ts'
import { defineTable } from './define-table.ts'
import { deleteColumn } from './delete-column.ts'
import { deletePrimaryKey } from './delete-primary-key.ts'
import { deleteRows } from './delete-rows.ts'
import { deleteTable } from './delete-table.ts'
import { exportTable } from './export-table.ts'
import { getTable } from './get-table.ts'
import { importTable } from './import-table.ts'
import { importTableNow } from './import-table-now.ts'
import { listTables } from './list-tables.ts'
import { optimizeTable } from './optimize-table.ts'
import { previewTable } from './preview-table.ts'
import { profileTable } from './profile-table.ts'
import { pullTable } from './pull-table.ts'
import { updateColumnDefinition } from './update-column-definition.ts'
import { updateTable } from './update-table.ts'
import { writeTable } from './write-table.ts'

export const tablesRoutes: readonly Route[] = [
  createTable,
  listTables,
  getTable,
  deleteTable,
  importTable,
  exportTable,
  createTableNow,
  importTableNow,
  writeTable,
  updateTable,
  defineTable,
  addColumn,
  deleteColumn,
  updateColumnDefinition,
  addPrimaryKey,
  deletePrimaryKey,
  deleteRows,
  previewTable,
  profileTable,
  runQuery,
  optimizeTable,
  pullTable,
]
