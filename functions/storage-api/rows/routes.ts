import type { Route } from '../http/route.ts'
import { deleteRow, patchRow, setRowState, updateRow } from './change-row.ts'
import { copyRow, createRow } from './create-row.ts'
import { getRow, getRowVersion, listRows, listRowVersions } from './read-rows.ts'
import { rollbackRow } from './rollback-row.ts'

export const rowsRoutes: readonly Route[] = [
  listRows,
  createRow,
  getRow,
  updateRow,
  patchRow,
  deleteRow,
  setRowState,
  listRowVersions,
  getRowVersion,
  rollbackRow,
  copyRow,
]
