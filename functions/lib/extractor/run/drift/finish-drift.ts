import type { Log } from '../../requests/masking/log.ts'
import { removeTables } from '../../tables/table-file.ts'
import { type CheckOptions, checkDrift } from './check-drift.ts'
import { judgeDrift } from './judge-drift.ts'

interface FinishOptions extends CheckOptions {
  log: Log
  mayHold: boolean
}

/**
 * Compares the tables of a run before anybody loads them, and takes them back when a rule fails the run.
 *
 * @throws UserError `extractor.drift`
 */
export const finishDrift = async ({ log, mayHold, ...given }: FinishOptions) => {
  try {
    const checked = await checkDrift(given)
    if (checked === undefined) return { warnings: [], report: undefined, profiles: undefined }
    return { ...checked, warnings: judgeDrift(checked.report, { log, mayHold }) }
  } catch (error) {
    await removeTables(given.tables)
    throw error
  }
}
