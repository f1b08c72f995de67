import type { Route } from '../http/route.ts'
import { getComponent } from './get-component.ts'
import { listComponents } from './list-components.ts'

export const componentsRoutes: readonly Route[] = [listComponents, getComponent]
