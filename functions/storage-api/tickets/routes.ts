import type { Route } from '../http/route.ts'
import { createTicket } from './create-ticket.ts'

export const ticketsRoutes: readonly Route[] = [createTicket]
