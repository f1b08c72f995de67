import { UserError } from '../../errors/errors.ts'
import type { Log } from '../masking/log.ts'
import type { DriftReport } from './check-drift.ts'
import { sentenceOfChange } from './compare-profiles.ts'

/** Changes that an error or a line of a log names. */
const MAX_NAMED = 20

/**
 * Says what has changed as the rules ask for it: in the log, and as warnings, which are returned.
 *
 * @throws UserError `extractor.drift` when a rule says so
 */
export const judgeDrift = ({ changes, limits }: DriftReport, log: Log): string[] => {
  const said = (rule: string): string[] =>
    withinLimit(changes.filter(change => change.rule === rule).map(sentenceOfChange))
  const failing = said('fail')
  if (failing.length > 0)
    throw new UserError(
      'extractor.drift',
      `The data have changed since the last run, and no table was touched: ${failing.join('; ')}. ` +
        'To take them as they are, run once with "drift": "warn".',
      { params: { changes: failing } },
    )
  for (const note of said('note')) log.info(`Changed since the last run: ${note}.`)
  for (const limit of limits) log.warning(`Not compared with the last run: ${limit}.`)
  const warnings = said('warn').map(change => `Changed since the last run: ${change}.`)
  for (const warning of warnings) log.warning(warning)
  return [...warnings, ...limits.map(limit => `Not compared with the last run: ${limit}.`)]
}

const withinLimit = (sentences: readonly string[]): string[] =>
  sentences.length <= MAX_NAMED
    ? [...sentences]
    : [...sentences.slice(0, MAX_NAMED), `${sentences.length - MAX_NAMED} more changes`]
