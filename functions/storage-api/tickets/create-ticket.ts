import { z } from 'zod'
import { routesOf } from '../http/route.ts'

export const routes = routesOf('tickets')

/** A number larger than every earlier one, as text: clients make run ids of it, which are texts. */
routes.post('/v2/storage/tickets', {
  summary: 'Take a ticket',
  replies: { 201: 'The ticket' },
  reply: z.object({ id: z.string() }),
  handle: async (_request, { tickets }) => ({ id: String(await tickets.next()) }),
})
