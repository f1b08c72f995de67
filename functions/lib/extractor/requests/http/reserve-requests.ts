import * as z from 'zod'

/** Requests that a run took out of a budget, to be sent before their time is over. */
const block = z.object({ at: z.number(), requests: z.number() })

/** The blocks of the last period, oldest first. Seconds since 1970. */
export const budgetRecord = z.array(block)

export type BudgetRecord = z.infer<typeof budgetRecord>

interface BudgetSize {
  requests: number
  seconds: number
}

type Reservation = { record: BudgetRecord; granted: number; until: number } | { waitSeconds: number }

/** Several runs share a budget in as many parts: each looks at the shared record once for each of them. */
const BLOCKS = 10

/** Seconds since 1970 are not exact enough for shorter ones: time would stand still. */
const SHORTEST_WAIT_SECONDS = 0.001

/**
 * Takes the next block of requests out of a budget, or says when there is one.
 *
 * A block counts from its reservation until it is out of any span in which its requests can have been sent. So no span of `seconds` ever sees more than
 * `requests`, whoever sends them; what a run that died had reserved is free again after that, too.
 */
export const reserveRequests = (
  record: BudgetRecord,
  { requests, seconds }: BudgetSize,
  now: number,
): Reservation => {
  const lifetime = seconds / BLOCKS
  const counts = seconds + lifetime
  // A clock that was far ahead must not close the budget
  const current = record.filter(({ at }) => at + counts > now && at - counts < now)
  const taken = current.reduce((sum, { requests }) => sum + requests, 0)
  const granted = Math.min(Math.ceil(requests / BLOCKS), requests - taken)
  if (granted > 0)
    return { record: [...current, { at: now, requests: granted }], granted, until: now + lifetime }
  const oldest = current[0]?.at ?? now
  return { waitSeconds: Math.max(oldest + counts - now, SHORTEST_WAIT_SECONDS) }
}
