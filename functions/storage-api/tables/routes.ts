import type { Route } from '../http/route.ts'
import { runQuery } from '../queries/run-query.ts'
import { deleteTable, optimizeTable, pullTable, updateTable } from './change-table.ts'
import { addColumn, deleteColumn, updateColumnDefinition } from './columns.ts'
import { createTable, createTableNow } from './create-table.ts'
import { defineTable } from './define-table.ts'
import { deleteRows } from './delete-rows.ts'
import { exportTable } from './export-table.ts'
import { importTable } from './import-table.ts'
import { importTableNow } from './import-table-now.ts'
import { previewTable } from './preview-table.ts'
import { addPrimaryKey, deletePrimaryKey } from './primary-key.ts'
import { profileTable } from './profile-table.ts'
import { getTable, listTables } from './read-tables.ts'
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
