import { join } from 'node:path'
import { UserError } from '../../errors/errors.ts'
import { type ExtractOptions, type ExtractResult, extract } from '../extract.ts'
import { PREVIEW_LIMITS, type PreviewLimits } from './preview-limits.ts'
import type { PreviewResult } from './preview-schemas.ts'
import { readTables } from './read-tables.ts'
import { createWitness } from './witness.ts'

interface PreviewOptions extends Pick<ExtractOptions, 'config' | 'state' | 'allowedPrivateHosts'> {
  /** So many rows of each job. */
  rows: number
  /** An empty folder, for spooled rows and tables. */
  folder: string
  /** Default: `PREVIEW_LIMITS`. */
  limits?: PreviewLimits
}

/**
 * Extracts a few rows of each job and says what was sent and answered. Stores nothing. Reaches the hosts that a run reaches, and
 * stops at the limits. What is wrong with the configuration or the API is in `error`.
 */
export const previewExtraction = async (options: PreviewOptions): Promise<PreviewResult> => {
  const { config, state, allowedPrivateHosts = [], rows, folder, limits = PREVIEW_LIMITS } = options
  const stop = new AbortController()
  const end: { stoppedBy: PreviewResult['stoppedBy']; error: PreviewResult['error'] } = {
    stoppedBy: null,
    error: null,
  }
  const reach = (limit: NonNullable<PreviewResult['stoppedBy']>): void => {
    end.stoppedBy ??= limit
    stop.abort()
  }
  const witness = createWitness({ limits, onLimit: reach })
  const log: PreviewResult['log'] = []
  const timer = setTimeout(() => reach('seconds'), limits.seconds * 1000)
  let result: ExtractResult | undefined
  try {
    result = await extract({
      config,
      state,
      outDir: join(folder, 'tables'),
      spoolDir: join(folder, 'spool'),
      signal: stop.signal,
      graceSeconds: 0,
      guard: true,
      allowedPrivateHosts,
      maxRows: rows,
      bodyLimitBytes: limits.bytes,
      cassette: witness,
      log: ({ level, message }) => {
        if (log.length < limits.logLines) log.push({ level, message })
      },
    })
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    // Whoever waits for an answer that the limit cut off knows no better than to fail.
    if (end.stoppedBy === null) end.error = { code: error.code, message: error.message }
  } finally {
    clearTimeout(timer)
  }
  const isFinished = result?.finished === true
  if (isFinished) end.stoppedBy = null
  return {
    ...end,
    tables: result?.finished === true ? await readTables(result.tables, limits, witness.mask) : [],
    exchanges: await witness.exchanges(),
    jobs: result?.summary.jobs ?? [],
    log: log.map(line => ({ ...line, message: witness.mask(line.message) })),
  }
}
