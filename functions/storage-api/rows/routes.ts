import type { Route } from '../http/route.ts'
import { deleteRow, patchRow, rollbackRow, setRowState, updateRow } from './change-row.ts'
import { copyRow, createRow } from './create-row.ts'
import { getRow, getRowVersion, listRows, listRowVersions } from './read-rows.ts'

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
