import type { Route } from '../http/route.ts'
import { validateColumnNames } from './validate-column-names.ts'
import { webalizeColumnNames, webalizeDisplayName } from './webalize.ts'

export const namesRoutes: readonly Route[] = [validateColumnNames, webalizeColumnNames, webalizeDisplayName]
