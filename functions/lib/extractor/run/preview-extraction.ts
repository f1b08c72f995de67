import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as afterThisTick } from 'node:timers/promises'
import { parse } from 'csv-parse'
import { UserError } from '../../errors/errors.ts'
import { isContainer, mapFields } from '../../json/json-value.ts'
import { NetworkFailure, type Outcome, type Witness } from '../requests/http/network-failure.ts'
import type { OutgoingRequest } from '../requests/http/outgoing-request.ts'
import type { WrittenTable } from '../tables/write-tables.ts'
import { type ExtractOptions, type ExtractResult, extract } from './extract.ts'
import {
  type Exchange,
  PREVIEW_LIMITS,
  type PreviewLimits,
  type PreviewResult,
  type PreviewTable,
} from './preview-schemas.ts'
import { Stopped } from './stop-signal.ts'

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
      witness: witness.send,
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

interface WitnessOptions {
  limits: PreviewLimits
  /** Called once, when a limit is reached. */
  onLimit: (reached: 'requests' | 'bytes') => void
}

interface PreviewWitness {
  send: Witness
  /** All exchanges so far, in order. Texts that turned out to be secrets later are masked too. */
  exchanges(): Promise<Exchange[]>
  mask(text: string): string
}

/** Lets requests through to the API up to a limit, and remembers what was said, without secrets. */
const createWitness = ({ limits, onLimit }: WitnessOptions): PreviewWitness => {
  const begun = performance.now()
  const noted: Promise<Exchange>[] = []
  let bytes = 0
  let shownBytes = 0
  let isOver = false
  let latestMask = (text: string): string => text

  const reach = (limit: 'requests' | 'bytes'): void => {
    if (isOver) return
    isOver = true
    onLimit(limit)
  }

  /** The beginning of a body. All of them together have room in one reply. */
  const shown = (body: Buffer, mask: (text: string) => string) => {
    const masked = maskBody(body, mask)
    const room = Math.min(limits.shownBodyBytes, limits.shownBytes - shownBytes)
    const start = masked.subarray(0, Math.max(0, room))
    shownBytes += start.length
    return {
      body: start.toString('utf8'),
      bodyBytes: body.length,
      isBodyCut: start.length < masked.length,
    }
  }

  const note = async (
    { number, at, request }: { number: number; at: number; request: OutgoingRequest },
    outcome: Outcome,
    mask: (text: string) => string,
  ): Promise<Exchange> => {
    const seconds = secondsSince(begun) - at
    // By then a login has been read, so its credentials are masked in its own response as well.
    await afterThisTick()
    const sent = {
      method: request.method,
      url: mask(request.url.href),
      headers: maskHeaders(request.headers, mask),
      ...shown(Buffer.from(request.body ?? ''), mask),
    }
    const exchange = { number, at, seconds: rounded(seconds), request: sent }
    if (outcome instanceof NetworkFailure)
      return { ...exchange, response: null, failure: mask(outcome.message) }
    const { status, headers, body } = outcome
    const response = { status, headers: maskHeaders(headers, mask), ...shown(body, mask) }
    return { ...exchange, response, failure: null }
  }

  return {
    send: async ({ request, network, mask }) => {
      if (isOver || noted.length >= limits.requests) {
        reach('requests')
        throw new Stopped('the limit of a preview')
      }
      latestMask = mask
      const opened = Promise.withResolvers<Exchange>()
      const sending = { number: noted.push(opened.promise), at: rounded(secondsSince(begun)), request }
      let outcome: Outcome
      try {
        outcome = await network()
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        opened.resolve(note(sending, new NetworkFailure(0, reason), mask))
        throw error
      }
      opened.resolve(note(sending, outcome, mask))
      if (!(outcome instanceof NetworkFailure)) bytes += outcome.body.length
      if (bytes > limits.bytes) reach('bytes')
      return outcome
    },
    exchanges: async () => maskTexts(await Promise.all(noted), latestMask) as Exchange[], // the same shape
    mask: text => latestMask(text),
  }
}

const secondsSince = (start: number): number => (performance.now() - start) / 1000

const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000

const maskTexts = (value: unknown, mask: (text: string) => string): unknown => {
  if (typeof value === 'string') return mask(value)
  if (Array.isArray(value)) return value.map(item => maskTexts(item, mask))
  return isContainer(value) ? mapFields(value, item => maskTexts(item, mask)) : value
}

/** Values of these are shown to nobody, whatever the masker knows. */
const secretHeader =
  /^((proxy-)?authorization|(set-)?cookie|www-authenticate|proxy-authenticate|authentication-info)$|token|secret|key|session|password|signature/i

type Headers = Readonly<Record<string, string | string[] | undefined>>

/**
 * Headers of a request or a response without secrets: each is `***`.
 *
 * @param mask replaces the secrets of a text
 */
const maskHeaders = (headers: Headers, mask: (text: string) => string): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[mask(name), maskHeader(name, value, mask)]],
    ),
  )

const maskHeader = (name: string, value: string | string[], mask: (text: string) => string) => {
  const one = (text: string): string => (secretHeader.test(name) ? '***' : mask(text))
  return Array.isArray(value) ? value.map(one) : one(value)
}

/**
 * A body without secrets.
 *
 * @param mask replaces the secrets of a text
 */
const maskBody = (body: Buffer, mask: (text: string) => string): Buffer => {
  const encoding = isUtf8(body) ? 'utf8' : 'latin1' // each byte a letter: secrets of ASCII are found in any bytes
  const text = body.toString(encoding)
  const masked = mask(text)
  return masked === text ? body : Buffer.from(masked, encoding)
}
