import type { Route } from '../http/route.ts'
import { disableColumnsAutoSync, enableColumnsAutoSync } from './columns-auto-sync.ts'
import { createAlias } from './create-alias.ts'
import { removeAliasFilter } from './remove-alias-filter.ts'
import { setAliasFilter } from './set-alias-filter.ts'

export const aliasesRoutes: readonly Route[] = [
  createAlias,
  setAliasFilter,
  removeAliasFilter,
  enableColumnsAutoSync,
  disableColumnsAutoSync,
]
