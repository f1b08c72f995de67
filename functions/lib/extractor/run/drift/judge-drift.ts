import { UserError } from '#lib/errors/errors.ts'
import type { Log } from '../../requests/masking/log.ts'
import type { DriftReport } from './check-drift.ts'
import { sentenceOfChange } from './compare-profiles.ts'

/** Changes that an error or a line of a log names. */
const MAX_NAMED = 20

/** Whether a rule wants the tables to wait for somebody's approval. */
export const isHeld = (report: Pick<DriftReport, 'changes'> | undefined): boolean =>
  report?.changes.some(({ rule }) => rule === 'hold') ?? false

/**
 * Says what has changed as the rules ask for it: in the log, and as warnings, which are returned.
 *
 * @param mayHold whether tables can wait for approval; else `hold` fails the run
 * @throws UserError `extractor.drift` when a rule says so
 */
export const judgeDrift = (
  { changes, limits }: DriftReport,
  { log, mayHold }: { log: Log; mayHold: boolean },
): string[] => {
  const said = (rule: string): string[] =>
    withinLimit(changes.filter(change => change.rule === rule).map(sentenceOfChange))
  const holding = said('hold')
  const failing = [...said('fail'), ...(mayHold ? [] : holding)]
  if (failing.length > 0)
    throw new UserError(
      'extractor.drift',
      `The data have changed since the last run, and no table was touched: ${failing.join('; ')}. ` +
        (mayHold || holding.length === 0 ? '' : 'Nobody can approve them here, so "hold" fails the run. ') +
        'To take them as they are, run once with "drift": "warn".',
      { params: { changes: failing } },
    )
  for (const note of said('note')) log.info(`Changed since the last run: ${note}.`)
  for (const limit of limits) log.warning(`Not compared with the last run: ${limit}.`)
  const warnings = [...said('warn'), ...holding].map(change => `Changed since the last run: ${change}.`)
  for (const warning of warnings) log.warning(warning)
  return [...warnings, ...limits.map(limit => `Not compared with the last run: ${limit}.`)]
}

const withinLimit = (sentences: readonly string[]): string[] =>
  sentences.length <= MAX_NAMED
    ? [...sentences]
    : [...sentences.slice(0, MAX_NAMED), `${sentences.length - MAX_NAMED} more changes`]
