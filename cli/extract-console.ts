import { UserError } from '../functions/lib/errors/errors.ts'
import type { LogRecord } from '../functions/lib/extractor/requests/masking/masker.ts'
import type { ExtractSummary, Progress } from '../functions/lib/extractor/run/extract.ts'
import { printable, printableLines } from './shell/printable.ts'
import { sentenceOf } from './shell/say-error.ts'
import type { Environment } from './shell/shell.ts'

interface Output {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
}

const progressEveryMs = 200

/** What the user sees: a progress line on a terminal, JSON log lines otherwise. */
export const createExtractConsole = (
  {
    stdout: output,
    stderr: errors,
    environment,
  }: { stdout: Output; stderr: Pick<Output, 'write'>; environment: Environment },
  clock: () => number = () => performance.now(),
) => {
  const terminal = output.isTTY === true
  const begun = clock()
  let drawn = Number.NEGATIVE_INFINITY
  let last: Progress | undefined

  const clear = (): void => {
    if (terminal && last !== undefined) output.write('\r\u001b[2K')
  }
  const draw = (): void => {
    if (last === undefined) return
    const seconds = Math.max(0.001, (clock() - begun) / 1000)
    const speed = Math.round(last.rows / seconds)
    const text = `${last.pages} pages  ${last.rows} rows  ${speed} rows/s  ${last.retries} retries  ${last.url}`
    output.write(`\r\u001b[2K${printable(text).slice(0, (output.columns ?? 80) - 1)}`)
  }
  const printLine = (text: string): void => void output.write(`${printableLines(text)}\n`)
  const log = ({ level, message, context }: LogRecord): void => {
    clear()
    const extra = context === undefined ? '' : ` ${JSON.stringify(context)}`
    output.write(
      terminal
        ? `${printableLines(`${level === 'info' ? '' : `${level}: `}${message}${extra}`)}\n`
        : `${JSON.stringify({ level, message, ...(context === undefined ? {} : { context }) })}\n`,
    )
    if (terminal) draw()
  }

  return {
    log,
    progress: (progress: Progress): void => {
      last = progress
      if (!terminal || clock() - drawn < progressEveryMs) return
      drawn = clock()
      draw()
    },
    summary: (summary: ExtractSummary): void => {
      clear()
      last = undefined
      if (!terminal) {
        log({ level: 'info', message: 'Summary', context: { ...summary } })
        return
      }
      for (const job of summary.jobs) {
        const reasons = Object.entries(job.ended).map(([reason, times]) =>
          times > 1 ? `${reason} (${times}x)` : reason,
        )
        printLine(
          `${job.endpoint} -> ${job.dataType}: ${job.pages} pages, ${job.rows} rows; ended: ${reasons.join('; ')}`,
        )
        for (const message of job.said?.messages ?? []) printLine(`  ${message}`)
      }
      const { waits, waitedSeconds } = summary.traffic
      if (waits > 0)
        printLine(`The API limits requests: waited ${waits} times, ${Math.round(waitedSeconds)} s in all.`)
      printLine(
        `${summary.rows} rows, ${summary.retries} retries, tables: ${summary.tables.map(({ name, rows }) => `${name} (${rows})`).join(', ')}`,
      )
    },
    failed: (error: unknown): void => {
      const isUser = error instanceof UserError
      const params = isUser && Object.keys(error.params).length > 0 ? { context: error.params } : {}
      const isShown = Boolean(environment['MILLRACE_DEBUG'])
      const trace =
        isShown && !isUser && error instanceof Error && error.stack !== undefined
          ? { context: { trace: error.stack } }
          : {}
      const message = sentenceOf(error)
      log({ level: 'error', message, ...params, ...trace })
      // Once more as plain text, which is easier to read than JSON
      const { job, request } = isUser ? error.params : {}
      const place = request === undefined ? '' : ` (job ${job}, ${request})`
      if (!terminal) errors.write(`${printableLines(message + place)}\n`)
    },
    print: (text: string): void => {
      clear()
      printLine(text)
    },
  }
}
