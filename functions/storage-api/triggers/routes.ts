import type { Route } from '../http/route.ts'
import { createTrigger } from './create-trigger.ts'
import { deleteTrigger } from './delete-trigger.ts'
import { getTrigger } from './get-trigger.ts'
import { listTriggers } from './list-triggers.ts'
import { updateTrigger } from './update-trigger.ts'

export const triggersRoutes: readonly Route[] = [
  createTrigger,
  deleteTrigger,
  getTrigger,
  listTriggers,
  updateTrigger,
]
