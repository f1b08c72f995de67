import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UserCode } from '../functions/lib/errors/codes.ts'
import { UserError } from '../functions/lib/errors/errors.ts'
import { extract } from '../functions/lib/extractor/run/extract.ts'
import { parseJson } from '../functions/lib/json/parse-json.ts'
import { isMissing } from '../functions/lib/paths/is-missing.ts'
import { createExtractConsole } from './extract-console.ts'
import { previewTables } from './shell/preview-tables.ts'
import { exitCodes, sentenceOf } from './shell/say-error.ts'
import type { Shell } from './shell/shell.ts'
import { writePrivately } from './shell/write-privately.ts'

interface ExtractFlags {
  compat: boolean | undefined
  preview: string | undefined
  guard: boolean | undefined
}

/**
 * Resolves to the exit code: 0 success, 1 user error, 2 application error
 * (docs/reference/extractor-requests.md#retries-and-errors).
 */
export const runExtract = async (dataDir: string, flags: ExtractFlags, shell: Shell): Promise<number> => {
  const console = createExtractConsole(shell)
  // Ended by a signal: writes no tables and no state, and removes the spool
  const signal = shell.onInterrupt()
  // It may hold secrets
  const writeState = async (state: unknown) => {
    await mkdir(join(dataDir, 'out'), { recursive: true })
    await writePrivately(join(dataDir, 'out', 'state.json'), JSON.stringify(state))
  }
  const spoolDir = await mkdtemp(join(tmpdir(), 'millrace-extract-'))
  try {
    const config = await readConfig(dataDir)
    const state = await readState(dataDir, message => console.log({ level: 'warning', message }))
    const preview = flags.preview === undefined ? undefined : positive(flags.preview)
    const outDir = preview === undefined ? join(dataDir, 'out', 'tables') : join(spoolDir, 'preview')
    const result = await extract({
      config,
      state,
      outDir,
      spoolDir: join(spoolDir, 'spool'),
      now: clock(shell),
      signal,
      graceSeconds: 0,
      guard: flags.guard === true,
      log: console.log,
      onProgress: console.progress,
      keepState: async state => {
        await writeState(state)
        console.log({
          level: 'warning',
          message:
            'The API gave a new refresh token. It is in out/state.json: take that as in/state.json of the next run, also if this one fails.',
        })
      },
      ...(flags.compat && { compat: true }),
      ...(preview !== undefined && { maxRows: preview }),
    })
    console.summary(result.summary)
    if (!result.finished) throw new Error('The extraction was stopped before its end')
    if (preview === undefined) await writeState(result.state)
    else console.print(await previewTables(result.tables))
    console.log({ level: 'info', message: 'Extractor finished successfully.' })
    return 0
  } catch (error) {
    console.failed(error)
    return error instanceof UserError ? exitCodes.userError : exitCodes.applicationError
  } finally {
    await rm(spoolDir, { recursive: true, force: true })
  }
}

/** The text of a file; nothing when there is none. Any other error is a sentence that begins with `what`. */
const readIfThere = async (file: string, what: string, code: UserCode): Promise<string | undefined> =>
  readFile(file, 'utf8').catch(cause => {
    if (isMissing(cause)) return undefined
    throw new UserError(code, `${what} ${sentenceOf(cause)}`, { cause })
  })

const readConfig = async (dataDir: string): Promise<unknown> => {
  const file = join(dataDir, 'config.json')
  const text = await readIfThere(file, 'Configuration file', 'extractor.config.missing')
  if (text === undefined)
    throw new UserError('extractor.config.missing', `Configuration file '${file}' not found.`)
  try {
    return parseJson(text)
  } catch (cause) {
    const where = cause instanceof Error ? ` (${cause.message})` : ''
    const message = `Configuration file is not a valid JSON: Syntax error${where}`
    throw new UserError('extractor.config.notJson', message, { cause })
  }
}

/** Nothing in the first run. Without the marks of a last run everything would be read again, and out/state.json would replace them. */
const readState = async (dataDir: string, warn: (message: string) => void): Promise<unknown> => {
  const file = join(dataDir, 'in', 'state.json')
  const text = await readIfThere(file, `State file '${file}' cannot be read:`, 'extractor.state.unreadable')
  if (text === undefined) return undefined
  try {
    return parseJson(text)
  } catch {
    warn(`State file '${file}' is not a valid JSON; starting without it.`)
    return undefined
  }
}

/** Seconds since 1970. The clock starts at `MILLRACE_NOW` when that is set. */
const clock = ({ environment }: Shell): (() => number) => {
  const given = environment['MILLRACE_NOW']
  if (!given) return () => Date.now() / 1000
  const start = Date.parse(given)
  if (Number.isNaN(start))
    throw new UserError('extractor.clock', `MILLRACE_NOW is not an ISO 8601 time: ${given}`)
  const begun = performance.now()
  return () => (start + performance.now() - begun) / 1000
}

const positive = (text: string): number => {
  const number = Number(text)
  if (Number.isInteger(number) && number > 0) return number
  throw new UserError('extractor.preview', `--preview needs a positive number of rows, got "${text}"`)
}
