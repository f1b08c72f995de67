import { UserError } from '../../lib/errors/errors.ts'
import { parseTime } from './parse-time.ts'

/** Clocks of clients differ by this much. */
const MOST_AHEAD_MS = 60_000

/**
 * The time of a table that is asked for. Dates of the API have no fractions of a second, so one without them means the end
 * of that second: the `lastChangeDate` of a table is the table with that change. Never later than now.
 *
 * Errors: 400 `storage.timetravel.invalid` for the future, `storage.tables.validation`.
 */
export const readTimestamp = (timestamp: string, now: Date): Date => {
  const time = parseTime('timestamp', timestamp, now).getTime()
  if (time > now.getTime() + MOST_AHEAD_MS)
    throw new UserError('storage.timetravel.invalid', `The time ${timestamp.slice(0, 100)} is in the future.`)
  const endMs = time % 1000 === 0 ? time + 999 : time
  return new Date(Math.min(endMs, now.getTime()))
}
