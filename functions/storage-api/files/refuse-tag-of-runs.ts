import { UserError } from '../../lib/errors/errors.ts'
import { RECORDING_TAG } from '../../lib/extractor/run/cassette/recording-tags.ts'
import type { Caller } from '../services/authenticate.ts'

/**
 * The tag of recordings is given by runs, with the token of the stack: whoever fetches the newest one trusts that a run has made it. Error:
 * 403 `accessDenied`.
 */
export const refuseTagOfRuns = (tags: readonly string[], { isMaster }: Pick<Caller, 'isMaster'>): void => {
  if (!isMaster && tags.includes(RECORDING_TAG))
    throw new UserError(
      'accessDenied',
      `The tag "${RECORDING_TAG}" is given to files by runs that keep their recordings. Use another tag.`,
    )
}
