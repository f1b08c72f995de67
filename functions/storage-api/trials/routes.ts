import type { Route } from '../http/route.ts'
import { planConfiguration } from './plan-configuration.ts'
import { previewConfiguration } from './preview-configuration.ts'

export const trialsRoutes: readonly Route[] = [planConfiguration, previewConfiguration]
