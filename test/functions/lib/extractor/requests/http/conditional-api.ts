import { createHash } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ExtractOptions, type ExtractResult, extract } from '#lib/extractor/run/extract.ts'
import { type ApiRequest, startApi } from '../../api-server.ts'
import { configuration, readTables, type Settings } from '../../run-extraction.ts'

export type Finished = Extract<ExtractResult, { finished: true }>

interface Ran {
  tables: Record<string, string>
  result: Finished
}

export const NOW = 1_800_000_000

/** An API, and runs that read it with the answers that the run before kept. */
export const startConditionalApi = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kept-answers-'))
  let files = 0
  const kept = () => join(folder, `kept-${files}`)
  const given: { answer: (request: ApiRequest, response: ServerResponse) => unknown } = { answer: () => [] }
  const api = await startApi((request, response) => given.answer(request, response))

  /** As whoever calls the extractor does: the file of the run takes the place of that before. */
  const run = async (
    settings: Settings,
    { pagesPerLeg = Number.POSITIVE_INFINITY, isWhole = false } = {},
  ): Promise<Ran> => {
    const root = mkdtempSync(join(folder, 'run-'))
    let result: ExtractResult | undefined
    while (result?.finished !== true) {
      const stop = new AbortController()
      let pages = 0
      const leg: Partial<ExtractOptions> =
        result === undefined ? {} : { checkpoint: JSON.parse(JSON.stringify(result.checkpoint)) }
      result = await extract({
        config: configuration(api.origin, settings),
        outDir: join(root, 'out'),
        spoolDir: join(root, 'spool'),
        now: () => NOW,
        signal: stop.signal,
        onProgress: () => {
          if (++pages >= pagesPerLeg) stop.abort()
        },
        ...(isWhole ? {} : { keptAnswers: kept() }),
        ...leg,
        ...settings.options,
      })
    }
    if (result.keptAnswers !== undefined) copyFileSync(result.keptAnswers, kept())
    const tables = readTables(join(root, 'out'))
    rmSync(root, { recursive: true })
    return { tables, result }
  }

  return Object.assign(given, {
    api,
    folder,
    run,
    /** The file of the answers that were kept last. */
    kept,
    /** The next run finds no kept answers, and no requests before its own. */
    forget: (): void => {
      files += 1
      api.requests.length = 0
    },
    /** What was asked for, and of which answer it was asked whether it has changed. */
    sent: () =>
      api.requests.map(
        ({ url, headers }) => `${url} ${headers['if-none-match'] ?? headers['if-modified-since'] ?? 'whole'}`,
      ),
    close: async (): Promise<void> => {
      await api.close()
      rmSync(folder, { recursive: true })
    },
  })
}

export type ConditionalApi = Awaited<ReturnType<typeof startConditionalApi>>

export const conditional = { api: { http: { conditional: true } } }

export const etagOf = (value: unknown) => `"${createHash('md5').update(JSON.stringify(value)).digest('hex')}"`

/** Answers with an ETag of the value, or with a 304. */
export const tagged = ({ headers }: ApiRequest, response: ServerResponse, value: unknown): unknown => {
  response.setHeader('etag', etagOf(value))
  if (headers['if-none-match'] !== etagOf(value)) return value
  response.statusCode = 304
  response.end()
  return undefined
}
