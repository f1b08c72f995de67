import type { ErrorCode } from '#lib/errors/codes.ts'
import { UserError } from '#lib/errors/errors.ts'
import { plural } from '#lib/plural.ts'
import type { Limits } from '../../config/limits-schema.ts'
import type { Log } from '../masking/log.ts'
import type { Traffic } from './traffic.ts'

/** Thrown in place of a request that is past a bound: the run ends with what it has. */
export class BoundReached extends Error {
  override readonly name = 'BoundReached'
}

/** Why a job that was cut short ended. */
export const CUT_SHORT = 'the run reached its limit'

interface RunBoundsOptions {
  limits: Limits | undefined
  traffic: Readonly<Traffic>
  /** Rows of all tables so far. */
  rows: () => number
  /** Seconds since 1970, of the first leg. */
  startedAt: number
  now: () => number
  log: Log
  /** What an earlier leg said of the limit that it reached. */
  reached?: string | undefined
}

export type RunBounds = ReturnType<typeof createRunBounds>

/** What one run, all legs together, may ask of its API. Without `limits` it has no bounds. */
export const createRunBounds = ({
  limits = {},
  traffic,
  rows,
  startedAt,
  now,
  log,
  reached,
}: RunBoundsOptions) => {
  const exceeded = (): string | undefined => {
    const { requests, bytes, minutes, rows: mostRows } = limits
    if (requests !== undefined && traffic.requests >= requests) return plural(requests, 'request')
    if (bytes !== undefined && traffic.bytes >= bytes) return plural(bytes, 'byte')
    if (mostRows !== undefined && rows() >= mostRows) return plural(mostRows, 'row')
    if (minutes !== undefined && now() - startedAt >= minutes * 60) return plural(minutes, 'minute')
    return undefined
  }

  return {
    /** @throws UserError `extractor.job.limit`, or `BoundReached` when the run is to end with what it has */
    check: (): void => {
      if (reached !== undefined) throw new BoundReached(reached)
      const bound = exceeded()
      if (bound === undefined) return
      if (limits.do !== 'stop')
        throw new UserError(
          'extractor.job.limit' satisfies ErrorCode,
          `The run needs more than its limit of ${bound} ("api.limits"). ${soFar(traffic, rows())}`,
        )
      reached = `The run ended at its limit of ${bound} ("api.limits"): the tables hold what was read until then. ${soFar(traffic, rows())}`
      log.warning(reached)
      throw new BoundReached(reached)
    },
    /** The sentence for the end of a run that was cut short; undefined while it was not. */
    get reached(): string | undefined {
      return reached
    },
  }
}

const soFar = ({ requests, bytes }: Readonly<Traffic>, rows: number): string =>
  `It had sent ${plural(requests, 'request')} and read ${plural(bytes, 'byte')} and ${plural(rows, 'row')}.`
