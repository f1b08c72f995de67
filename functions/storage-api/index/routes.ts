import type { Route } from '../http/route.ts'
import { getIndex } from './get-index.ts'

export const indexRoutes: readonly Route[] = [getIndex]
