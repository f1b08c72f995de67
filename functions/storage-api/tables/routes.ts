import type { Route } from '../http/route.ts'
import { runQuery } from '../queries/run-query.ts'
import {
  addPrimaryKey,
  deletePrimaryKey,
  deleteTable,
  pullTable,
  swapTables,
  updateTable,
} from './change-table.ts'
import { addColumn, deleteColumn, updateColumnDefinition, updateTableDefinition } from './columns.ts'
import { createTable, createTableNow, defineTable } from './create-table.ts'
import { deleteRows } from './delete-rows.ts'
import { exportTable } from './export-table.ts'
import { importTable, importTableNow, writeTable } from './import-table.ts'
import { previewTable } from './preview-table.ts'
import { getTable, listTables } from './read-tables.ts'

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
  updateTableDefinition,
  addPrimaryKey,
  deletePrimaryKey,
  deleteRows,
  previewTable,
  runQuery,
  pullTable,
  swapTables,
]
