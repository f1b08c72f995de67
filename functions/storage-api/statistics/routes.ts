import type { Route } from '../http/route.ts'
import { hourlyStats } from './hourly-stats.ts'

export const statisticsRoutes: readonly Route[] = [hourlyStats]
