import type { Route } from '../http/route.ts'
import { createEvent } from './create-event.ts'
import { getEvent } from './get-event.ts'
import { listBucketEvents, listEvents, listTableEvents, listTokenEvents } from './list-events.ts'

export const eventsRoutes: readonly Route[] = [
  listEvents,
  createEvent,
  getEvent,
  listTableEvents,
  listBucketEvents,
  listTokenEvents,
]
