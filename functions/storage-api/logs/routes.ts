import type { Route } from '../http/route.ts'
import { listLogLines } from './list-log-lines.ts'

export const logsRoutes: readonly Route[] = [listLogLines]
