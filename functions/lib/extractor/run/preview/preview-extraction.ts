import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse'
import { UserError } from '#lib/errors/errors.ts'
import type { WrittenTable } from '../../tables/sink-types.ts'
import { type ExtractOptions, type ExtractResult, extract } from '../extract.ts'
import { PREVIEW_LIMITS, type PreviewLimits } from './preview-limits.ts'
import type { PreviewResult, PreviewTable } from './preview-schemas.ts'
import { createWitness } from './witness.ts'

interface PreviewOptions extends Pick<ExtractOptions, 'config' | 'state' | 'allowedPrivateHosts'> {
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

type CellLimits = Pick<PreviewLimits, 'shownCellsLength' | 'shownCellLength'>

/**
 * The tables that an extraction has written, as far as there is room to show them.
 *
 * @param mask replaces the secrets of a text; it sees whole cells, so that none is left in half
 */
const readTables = async (
  tables: readonly WrittenTable[],
  { shownCellsLength, shownCellLength }: CellLimits,
  mask: (text: string) => string,
): Promise<PreviewTable[]> => {
  let room = shownCellsLength
  const shown: PreviewTable[] = []
  for (const { name, rows: rowsCount, file } of tables) {
    const records: string[][] = []
    let isCut = false
    for await (const record of createReadStream(file).pipe(
      parse({ relax_column_count: true, skip_empty_lines: true }),
    )) {
      const whole = (record as string[]).map(mask) // a record without `columns` is a list of texts
      const cells = whole.map(cell => cell.slice(0, shownCellLength))
      room -= cells.reduce((sum, cell) => sum + cell.length, 0)
      if (room < 0) {
        isCut = true
        break
      }
      isCut ||= whole.some(cell => cell.length > shownCellLength)
      records.push(cells)
    }
    const [columns = [], ...rows] = records
    shown.push({ name: mask(name), columns, rows, rowsCount, isCut })
  }
  return shown
}
