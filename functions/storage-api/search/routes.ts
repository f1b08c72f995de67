import type { Route } from '../http/route.ts'
import { globalSearch } from './global-search.ts'
import { runStats } from './run-stats.ts'
import { searchConfigurations } from './search-configurations.ts'
import { searchTables } from './search-tables.ts'

export const searchRoutes: readonly Route[] = [globalSearch, runStats, searchConfigurations, searchTables]
