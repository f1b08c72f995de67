import { z } from '@hono/zod-openapi'
import { created } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'

/** A number larger than every earlier one, as text: clients make run ids of it, which are texts. */
export const createTicket = defineRoute({
  method: 'post',
  path: '/v2/storage/tickets',
  summary: 'Take a ticket',
  tag: 'tickets',
  replies: { 201: 'The ticket' },
  reply: z.object({ id: z.string() }),
  handle: async (_request, { tickets }) => created({ id: String(await tickets.next()) }),
})
