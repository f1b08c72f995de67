import { UserError } from '../../errors/errors.ts'
import { finishDrift } from '../drift/finish-drift.ts'
import { profilesOf } from '../drift/stored-profiles.ts'
import { maskError } from '../masking/mask-error.ts'
import { removeTables } from '../tables/table-file.ts'
import { typesWithWindows } from '../windows/types-with-windows.ts'
import type { Extraction } from './extraction.ts'
import { stateWithWindows } from './state.ts'

/** A job that fails does not take with it what it has read before: gives the windows that are whole to `options.keepWindows`. */
export const keepWindows = async (extraction: Extraction, error: unknown): Promise<void> => {
  const { options, parsed, state, log, masker, sinks, windows, configs, refreshTokens, summary, warningsOf } =
    extraction
  const failure = maskError(error, masker)
  const mayKeep = failure instanceof UserError && failure.code !== 'extractor.drift' // which touches no table
  if (options.keepWindows === undefined || !windows.isNew || !mayKeep) return
  const types = typesWithWindows(parsed)
  try {
    const written = await sinks.finish(options.outDir)
    const tables = written.tables.filter(table => table.types.every(type => types.has(type)))
    await removeTables(written.tables.filter(table => !tables.includes(table)))
    const drift = await finishDrift({
      tables,
      configs,
      before: profilesOf(tables, state.profiles, masker.mask),
      mask: masker.mask,
      log,
      mayHold: false,
    })
    const next = stateWithWindows(options.state, windows.all(), refreshTokens.all())
    const ended = summary(tables)
    const warnings = [...written.warnings, ...warningsOf(ended), ...drift.warnings].map(masker.mask)
    await options.keepWindows({ tables, state: next, warnings, summary: ended, failure })
  } catch (cause) {
    if (!(cause instanceof UserError)) throw cause
    log.warning(`Nothing is kept of the windows that were read: ${cause.message}`)
  }
}
