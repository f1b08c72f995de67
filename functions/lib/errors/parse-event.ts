import * as z from 'zod/mini'
import { UserError } from './errors.ts'

/** Reads what came from outside. Throws `UserError` (`event.invalid`), which names each field and repeats no value. */
export const parseEvent = <Event>(schema: z.core.$ZodType<Event>, input: unknown): Event => {
  const parsed = z.safeParse(schema, input)
  if (!parsed.success)
    throw new UserError('event.invalid', `The event is not valid:\n${z.prettifyError(parsed.error)}`)
  return parsed.data
}
