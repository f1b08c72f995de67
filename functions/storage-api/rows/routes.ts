import type { Route } from '../http/route.ts'
import { copyRow } from './copy-row.ts'
import { createRow } from './create-row.ts'
import { deleteRow } from './delete-row.ts'
import { getRow } from './get-row.ts'
import { getRowVersion } from './get-row-version.ts'
import { listRowVersions } from './list-row-versions.ts'
import { listRows } from './list-rows.ts'
import { patchRow } from './patch-row.ts'
import { rollbackRow } from './rollback-row.ts'
import { setRowState } from './set-state.ts'
import { updateRow } from './update-row.ts'

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
